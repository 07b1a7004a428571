import type { Deps } from '../../deps.js'
import type { ProvenKey } from '../../protocol/openid4vci/key-proof.js'
import type { TakenIndices } from '../../status-lists/allotment.js'
import { parseConfigurationId } from '../issuance/configurations.js'
import { createSign, type SignedInstance, type SignRequest } from '../issuance/sign.js'
import { credentialView } from '../issuance/vc-object.js'
import { isHaip } from './haip.js'
import type { TokenContext } from './tokens/store.js'

/** §15.4.1: times in a wallet's copies are rounded down to this unit, so that copies of one batch cannot be linked by time. */
const ROUNDED_TO_MS = 60 * 60 * 1000

/** The subject's identifier from the offering, independent of the key that the wallet proves. */
const subjectIdOf = ({ recipient, credentialSubject: { id } }: TokenContext): string | undefined =>
  recipient ?? (typeof id === 'string' ? id : undefined)

/** The copies that a wallet gets, and the credential as the API shows it. */
export interface WalletCopies {
  readonly instances: readonly SignedInstance[]
  readonly vc: unknown
  /** Their status indices, to be released if the copies are not handed out. */
  readonly taken: Pick<TakenIndices, 'giveBack'>
}

async function signAll(
  deps: Deps,
  requests: readonly Omit<SignRequest, 'status'>[],
  taken: TakenIndices,
): Promise<SignedInstance[]> {
  try {
    return await Promise.all(
      requests.map((request, position) => {
        const status = taken.indices[position]
        if (status === undefined) throw new Error('Too few status indices were allotted.')
        return createSign(deps)({ ...request, status })
      }),
    )
  } catch (thrown) {
    taken.giveBack()
    throw thrown
  }
}

/**
 * Signs one instance for each proven key. Copies share no salt, no id and no neighbouring status index, whether they are of one
 * batch or of several.
 *
 * @param recordId the id of the record, which its first signed copy bears.
 */
export async function signCopies(
  deps: Deps,
  token: TokenContext,
  configurationId: string,
  keys: readonly ProvenKey[],
  recordId: string,
  now: Date,
): Promise<WalletCopies> {
  const configuration = parseConfigurationId(deps.formats, configurationId)
  if (configuration === undefined) throw new Error(`${configurationId} was offered and is no configuration.`)
  const { format } = configuration
  // HAIP 1.0 §6.1: `cnf` holds the key itself, however the proof named it.
  const bare = isHaip(deps, token)
  const subjectId = subjectIdOf(token)
  const issuedAt = new Date(Math.floor(now.getTime() / ROUNDED_TO_MS) * ROUNDED_TO_MS)
  const requests = keys.map((key, position) => ({
    context: token,
    subject: token.credentialSubject,
    format,
    binding: format.issuing.bindingTo(bare ? { jwk: key.jwk, did: key.did } : key, subjectId),
    id: position === 0 && !token.credentialSigned ? recordId : deps.newId(),
    issuedAt,
  }))
  const taken = await deps.allotment.allot(token.issuerId, token.keyId, keys.length)
  const instances = await signAll(deps, requests, taken)
  const [request] = requests
  const [first] = instances
  if (request === undefined || first === undefined) throw new Error('Nothing was signed.')
  return { instances, vc: credentialView(deps.config, request, recordId, first, issuedAt), taken }
}
