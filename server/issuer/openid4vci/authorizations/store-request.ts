import type { Vault } from '../../../keys/vault.js'
import type { WalletOffering } from '../offer-store.js'
import type { UsedOnce } from '../used-once-store.js'
import type { StoredRequest } from './authorization.js'
import { protectRequest } from './parameters.js'
import type { RequestedOffers } from './requested-offers.js'
import type { AuthorizationStore, NewAuthorization } from './store.js'

/** Dependencies of {@link createStoreRequest}. */
export interface StoreRequestPorts {
  readonly authorizations: Pick<AuthorizationStore, 'insert' | 'insertFor' | 'remove'>
  readonly requestedOffers: Pick<RequestedOffers, 'assertKnown' | 'assertRequestable' | 'namedTypes' | 'offerLinkOf'>
  readonly vault: Pick<Vault, 'protect'>
  readonly newId: () => string
}

/**
 * Stores a request and marks its proofs as used. The same statement reads the offer or the credential types that the request
 * names. If a later check fails, the request is removed again, and no id is returned.
 *
 * @param admit throws to refuse an offer
 * @returns the id of the authorization; undefined if a proof was used before.
 * @throws OAuthError `invalid_request`, `invalid_scope` or `invalid_authorization_details`
 */
export type StoreRequest = (
  request: StoredRequest & { readonly walletName?: string | undefined },
  stored: Omit<NewAuthorization, 'id' | 'clientId' | 'parameters'>,
  proofs: readonly UsedOnce[],
  admit: (offering: WalletOffering) => void,
) => Promise<string | undefined>

export const createStoreRequest =
  ({ authorizations, requestedOffers, vault, newId }: StoreRequestPorts): StoreRequest =>
  async (request, stored, proofs, admit) => {
    const id = newId()
    const parameters = await protectRequest(vault, id, request)
    const link = requestedOffers.offerLinkOf(request)
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
    if (link === null) {
      const inserted = await authorizations.insert(authorization, requestedOffers.namedTypes(request), proofs)
      return kept(inserted.stored, () => requestedOffers.assertKnown(request, inserted.known))
    }
    const found = await authorizations.insertFor(link.offeringId, authorization, proofs)
    return kept(found?.stored === true, () =>
      admit(requestedOffers.assertRequestable(request, found?.offering).offering),
    )
  }
