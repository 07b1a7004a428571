import type { Deps } from '../../deps.js'
import type { ProvenKey } from '../../protocol/openid4vci/key-proof.js'
import type { TakenIndices } from '../../status-lists/allotment.js'
import { parseConfigurationId } from '../issuance/configurations.js'
import { type Binding, type SignedInstance, type SignRequest, signInstance } from '../issuance/sign.js'
import { credentialView } from '../issuance/vc-object.js'
import type { TokenContext } from './store.js'

/** §15.4.1: times in a wallet's copies are rounded down to it, so that they do not tell the moment of a batch. */
const ROUNDED_TO_MS = 60 * 60 * 1000

/**
 * A JWT VC is bound by the DID of its subject (with `cnf` too where that is another), an SD-JWT VC by `cnf`, which names the
 * key as its proof did: wallets look for the key that they named. Who the offering says the subject is, stays the subject.
 */
function bindingOf(token: TokenContext, key: ProvenKey, sdJwt: boolean): Binding {
  const subjectId =
    token.recipient ?? (typeof token.credentialSubject.id === 'string' ? token.credentialSubject.id : undefined)
  const { did, jwk, kid } = key
  if (sdJwt && kid !== undefined) return { subjectId: subjectId ?? did, holderKey: { kid } }
  if (sdJwt) return { subjectId, holderKey: jwk }
  return { subjectId: subjectId ?? did, holderKey: subjectId === undefined && kid !== undefined ? undefined : jwk }
}

/** The copies that a wallet gets, and the credential as the API shows it. */
export interface WalletCopies {
  readonly instances: readonly SignedInstance[]
  readonly vc: unknown
  /** Their status indices, for where the copies are handed to nobody. */
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
        return signInstance(deps, { ...request, status })
      }),
    )
  } catch (thrown) {
    taken.giveBack()
    throw thrown
  }
}

/**
 * Signs one instance for each proven key. Batch copies share no salt, no id and no neighbouring status index.
 *
 * @param recordId the id of the record, which the first copy bears.
 */
export async function signCopies(
  deps: Deps,
  token: TokenContext,
  configurationId: string,
  keys: readonly ProvenKey[],
  recordId: string,
  now: Date,
): Promise<WalletCopies> {
  const configuration = parseConfigurationId(configurationId)
  if (configuration === undefined) throw new Error(`${configurationId} was offered and is no configuration.`)
  const { format } = configuration
  const issuedAt = new Date(Math.floor(now.getTime() / ROUNDED_TO_MS) * ROUNDED_TO_MS)
  const requests = keys.map((key, position) => ({
    context: token,
    subject: token.credentialSubject,
    format,
    binding: bindingOf(token, key, format === 'dc+sd-jwt'),
    id: position === 0 ? recordId : deps.newId(),
    issuedAt,
  }))
  const taken = await deps.allotment.allot(token.issuerId, token.keyId, keys.length)
  const instances = await signAll(deps, requests, taken)
  const [request] = requests
  const [first] = instances
  if (request === undefined || first === undefined) throw new Error('Nothing was signed.')
  return { instances, vc: credentialView(deps.config, request, recordId, first, issuedAt), taken }
}
