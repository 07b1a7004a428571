import type { Config } from '../../config/config.js'
import { keyIdOf } from '../../dids/identity.js'
import type { IssuedFormat } from '../../formats/format.js'
import type { Binding, SignedCredential } from '../../formats/issuing.js'
import type { DocumentSigners } from '../../keys/document-signers/document-signers.js'
import type { StatusPurpose } from '../../protocol/status-list/bitstring.js'
import type { StatusIndex } from '../../status-lists/allotment.js'
import { statusListUri } from '../../status-lists/publication.js'
import { schemaUri } from '../schemas/schema-uri.js'
import { configurationIdOf } from './configurations.js'
import type { IssuanceContext, NewInstance } from './store.js'
import { validityOf } from './validity.js'

const SCHEMA_TYPE = 'JsonSchemaValidator2018'

export interface SignRequest {
  readonly context: IssuanceContext
  readonly subject: Readonly<Record<string, unknown>>
  readonly format: IssuedFormat
  readonly binding: Binding
  /** A UUID. `id` and `jti` of a JWT VC are derived from this UUID. */
  readonly id: string
  readonly status: StatusIndex
  readonly issuedAt: Date
}

export interface SignedInstance extends SignedCredential {
  readonly instance: NewInstance
}

/** `credentialSchema` of a W3C credential (VCDM 1.1 §5.4). */
export const schemaOf = (config: Pick<Config, 'issuerBaseUrl'>, { id }: Pick<IssuanceContext, 'id'>) => ({
  id: schemaUri(config, id),
  type: SCHEMA_TYPE,
})

function bitstringEntry(
  config: Pick<Config, 'issuerBaseUrl'>,
  { listId, index }: StatusIndex,
  statusPurpose: StatusPurpose,
) {
  const list = statusListUri(config, statusPurpose === 'suspension' ? 'suspension' : 'bitstring', listId)
  return {
    id: `${list}#${index}`,
    type: 'BitstringStatusListEntry',
    statusPurpose,
    statusListIndex: index,
    statusListCredential: list,
  } as const
}

/**
 * The status entries of an instance in the Bitstring form of its list (Bitstring Status List v1.0 §2.1): one for each purpose.
 */
export const bitstringEntries = (
  config: Pick<Config, 'issuerBaseUrl'>,
  { suspendable }: Pick<IssuanceContext, 'suspendable'>,
  status: StatusIndex,
) => [
  bitstringEntry(config, status, 'revocation'),
  ...(suspendable ? [bitstringEntry(config, status, 'suspension')] : []),
]

/** Dependencies of {@link createSign}. */
export interface SignPorts {
  readonly config: Pick<Config, 'issuerBaseUrl' | 'sdJwtIssuer'>
  readonly documentSigners: Pick<DocumentSigners, 'signerOf'>
  readonly random: (length: number) => Uint8Array
  readonly clock: () => Date
}

/** Signs one instance of a credential, with its own status entry, in one format. */
export type Sign = (request: SignRequest) => Promise<SignedInstance>

export const createSign =
  ({ config, documentSigners, random, clock }: SignPorts): Sign =>
  async ({ context, subject, format, binding, id, status, issuedAt }) => {
    const { keyId, x5c } = context
    const kid = keyIdOf(context.issuerDid, context.publicJwk)
    const { compact, vc } = await format.issuing.sign({
      ...(await documentSigners.signerOf({ keyId, kid, x5c }, format.issuing.chain)),
      issuerDid: context.issuerDid,
      installation: config,
      type: context,
      schema: schemaOf(config, context),
      subject,
      binding,
      id,
      status: {
        token: { uri: statusListUri(config, 'token', status.listId), idx: status.index },
        bitstring: bitstringEntries(config, context, status),
      },
      randomBytes: random,
      now: clock(),
      ...validityOf(context, issuedAt),
    })
    const { listId, index } = status
    const configurationId = configurationIdOf(context.name, format)
    return { compact, vc, instance: { listId, index, format: format.name, configurationId } }
  }
