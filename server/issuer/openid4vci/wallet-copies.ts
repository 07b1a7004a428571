import type { Config } from '../../config/config.js'
import type { Formats } from '../../formats/registry.js'
import type { ProvenKey } from '../../protocol/openid4vci/key-proof.js'
import { listsFor, type StatusIndexAllotment, type TakenIndices } from '../../status-lists/allotment.js'
import { parseConfigurationId } from '../issuance/configurations.js'
import type { SignedInstance, SignRequest } from '../issuance/sign.js'
import { ROUNDED_TO_MS, type Validity, validityOf } from '../issuance/validity.js'
import { isHaip } from './haip.js'
import type { TokenContext } from './tokens/store.js'

/** The subject's identifier from the offering. It does not depend on the key that the wallet proves. */
const subjectIdOf = ({ recipient, credentialSubject: { id } }: TokenContext): string | undefined =>
  recipient ?? (typeof id === 'string' ? id : undefined)

/** The copies for a wallet, and the credential object that the API shows. */
export interface WalletCopies {
  readonly instances: readonly SignedInstance[]
  readonly vc: unknown
  /** The validity of each instance. */
  readonly validity: Validity
  /** The status indices of the copies. They are released if the copies are not issued. */
  readonly taken: Pick<TakenIndices, 'giveBack'>
}

/** Dependencies of {@link createSignCopies}. */
export interface SignCopiesPorts {
  /** Signs one instance of a credential, with its own status entry, in one format. */
  readonly sign: (request: SignRequest) => Promise<SignedInstance>
  /** The credential object that the API shows. */
  readonly viewOf: (
    request: Pick<SignRequest, 'context' | 'subject' | 'binding'>,
    recordId: string,
    signed: SignedInstance,
    issuedAt: Date,
  ) => unknown
  readonly allotment: StatusIndexAllotment
  readonly config: Pick<Config, 'issuerProfile'>
  readonly formats: Formats
  readonly newId: () => string
}

/**
 * Signs one instance for each proven key. Copies share no salt and no id, and their status indices are not adjacent, within one
 * batch and across batches.
 *
 * @param recordId the id of the record, which is also the id of its first signed copy.
 */
export type SignCopies = (
  token: TokenContext,
  configurationId: string,
  keys: readonly ProvenKey[],
  recordId: string,
  now: Date,
) => Promise<WalletCopies>

export function createSignCopies({ sign, viewOf, allotment, config, formats, newId }: SignCopiesPorts): SignCopies {
  const signAll = async (
    requests: readonly Omit<SignRequest, 'status'>[],
    taken: TakenIndices,
  ): Promise<SignedInstance[]> => {
    try {
      return await Promise.all(
        requests.map((request, position) => {
          const status = taken.indices[position]
          if (status === undefined) throw new Error('Too few status indices were allotted.')
          return sign({ ...request, status })
        }),
      )
    } catch (thrown) {
      taken.giveBack()
      throw thrown
    }
  }

  return async (token, configurationId, keys, recordId, now) => {
    const configuration = parseConfigurationId(formats, configurationId)
    if (configuration === undefined) throw new Error(`${configurationId} was offered but is not a configuration.`)
    const { format } = configuration
    // HAIP 1.0 §6.1: `cnf` contains the key itself, even if the proof named it in another way.
    const bare = isHaip({ config }, token)
    const subjectId = subjectIdOf(token)
    // §15.4.1: the times in a wallet's copies are rounded, so they do not link the copies of a batch.
    const issuedAt = new Date(Math.floor(now.getTime() / ROUNDED_TO_MS) * ROUNDED_TO_MS)
    const requests = keys.map((key, position) => ({
      context: token,
      subject: token.credentialSubject,
      format,
      binding: format.issuing.bindingTo(bare ? { jwk: key.jwk, did: key.did } : key, subjectId),
      id: position === 0 && !token.credentialSigned ? recordId : newId(),
      issuedAt,
    }))
    const taken = await allotment.allot(listsFor(token), keys.length)
    const instances = await signAll(requests, taken)
    const [request] = requests
    const [first] = instances
    if (request === undefined || first === undefined) throw new Error('Nothing was signed.')
    return {
      instances,
      vc: viewOf(request, recordId, first, issuedAt),
      validity: validityOf(token, issuedAt),
      taken,
    }
  }
}
