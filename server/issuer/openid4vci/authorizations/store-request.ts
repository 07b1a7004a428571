import type { Deps } from '../../../deps.js'
import type { WalletOffering } from '../offer-store.js'
import type { UsedOnce } from '../used-once-store.js'
import type { StoredRequest } from './authorization.js'
import { protectRequest } from './parameters.js'
import { assertKnown, assertRequestable, namedTypes, offeringIdOf } from './requested-offer.js'
import type { NewAuthorization } from './store.js'

type Stored = Omit<NewAuthorization, 'id' | 'clientId' | 'parameters'>

/**
 * Stores a request, with its proofs as used, in the statement that reads what it is for: an offer, or types of credentials.
 * Where that does not admit it, the request is removed again; nobody has learned of it.
 *
 * @param admit refuses an offer by throwing
 * @returns the id of the authorization; undefined where a proof was used before.
 * @throws OAuthError `invalid_request`, `invalid_scope` or `invalid_authorization_details`
 */
export async function storeRequest(
  deps: Deps,
  request: StoredRequest & { readonly walletName?: string | undefined },
  stored: Stored,
  proofs: readonly UsedOnce[],
  admit: (offering: WalletOffering) => void,
): Promise<string | undefined> {
  const { authorizations } = deps.stores
  const id = deps.newId()
  const parameters = await protectRequest(deps, id, request)
  const offeringId = offeringIdOf(deps, request)
  const authorization = { ...stored, id, clientId: request.clientId, parameters }
  const kept = async (isStored: boolean, check: () => void) => {
    try {
      check()
    } catch (thrown) {
      if (isStored) await authorizations.remove(id)
      throw thrown
    }
    return isStored ? id : undefined
  }
  if (offeringId === null) {
    const inserted = await authorizations.insert(authorization, namedTypes(deps, request), proofs)
    return kept(inserted.stored, () => assertKnown(deps, request, inserted.known))
  }
  const found = await authorizations.insertFor(offeringId, authorization, proofs)
  return kept(found?.stored === true, () => admit(assertRequestable(deps, request, found?.offering).offering))
}
