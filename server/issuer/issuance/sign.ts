import type { Config } from '../../config.js'
import type { Deps } from '../../deps.js'
import { keyIdOf } from '../../dids/identity.js'
import type { Jwk, Signer } from '../../protocol/jose/jws.js'
import { issueJwtVc } from '../../protocol/jwt-vc/issue.js'
import { issueSdJwtVc } from '../../protocol/sd-jwt-vc/issue.js'
import type { StatusIndex } from '../../status-lists/allotment.js'
import { statusListUri } from '../../status-lists/publication.js'
import { schemaUri } from '../schemas/schema-uri.js'
import { vctOf } from '../schemas/type-metadata.js'
import { type CredentialFormat, configurationIdOf } from './configurations.js'
import type { IssuanceContext, NewInstance } from './store.js'

export const SCHEMA_TYPE = 'JsonSchemaValidator2018'
const DAY_MS = 24 * 60 * 60 * 1000
const SD_JWT_DECOYS = 0

/** Whom an instance is bound to. Neither: a credential without a holder. */
export interface Binding {
  /** A DID or other URI: `sub`, `credentialSubject.id`. */
  readonly subjectId?: string | undefined
  /** The holder's public key, or the absolute DID URL of it: `cnf`. */
  readonly holderKey?: Jwk | { readonly kid: string } | undefined
}

export interface SignRequest {
  readonly context: IssuanceContext
  readonly subject: Readonly<Record<string, unknown>>
  readonly format: CredentialFormat
  readonly binding: Binding
  /** `id` and `jti` of a JWT VC: a UUID. */
  readonly id: string
  readonly status: StatusIndex
  readonly issuedAt: Date
}

export interface SignedInstance {
  readonly compact: string
  /** The API's credential object; only a JWT VC has one of its own. */
  readonly vc: unknown
  readonly instance: NewInstance
}

/** SD_JWT_ISSUER decides whether an SD-JWT VC names a DID or the issuer identifier. */
function sdJwtIssuer(config: Config, context: IssuanceContext): string {
  return config.sdJwtIssuer === 'url' ? config.issuerBaseUrl : context.issuerDid
}

/** Whole seconds, so that `nbf` and `issuanceDate` agree and no time lies in the future. */
const wholeSeconds = (date: Date): Date => new Date(Math.floor(date.getTime() / 1000) * 1000)

/** When a credential is issued, and when it expires by its type. */
export function validityOf({ expiresInDays }: IssuanceContext, now: Date): { issuedAt: Date; expiresAt?: Date } {
  const issuedAt = wholeSeconds(now)
  return expiresInDays === null
    ? { issuedAt }
    : { issuedAt, expiresAt: new Date(issuedAt.getTime() + expiresInDays * DAY_MS) }
}

/** The status entry of an instance in the Bitstring form of its list (Bitstring Status List v1.0 §2.1). */
export function bitstringEntry(config: Config, { listId, index }: StatusIndex) {
  const list = statusListUri(config, 'bitstring', listId)
  return {
    id: `${list}#${index}`,
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex: index,
    statusListCredential: list,
  } as const
}

const bindingOf = ({ holderKey }: Binding) => (holderKey === undefined ? {} : { holderKey })

function signSdJwtVc(deps: Deps, signer: Signer, request: SignRequest): Promise<string> {
  const { context, binding, status } = request
  const { id: _, ...claims } = request.subject
  return issueSdJwtVc({
    signer,
    issuer: sdJwtIssuer(deps.config, context),
    vct: vctOf(deps.config, context.name),
    claims,
    selectivelyDisclosable: context.selectivelyDisclosable ?? 'all',
    decoys: SD_JWT_DECOYS,
    status: { uri: statusListUri(deps.config, 'token', status.listId), idx: status.index },
    randomBytes: deps.random,
    ...(binding.subjectId === undefined ? {} : { subject: binding.subjectId }),
    ...bindingOf(binding),
    ...validityOf(context, request.issuedAt),
  })
}

function signJwtVc(deps: Deps, signer: Signer, request: SignRequest): ReturnType<typeof issueJwtVc> {
  const { context, binding, status } = request
  return issueJwtVc({
    signer,
    issuer: context.issuerDid,
    id: `urn:uuid:${request.id}`,
    types: [context.name],
    claims: request.subject,
    schema: { id: schemaUri(deps.config, context.id), type: SCHEMA_TYPE },
    status: bitstringEntry(deps.config, status),
    ...(binding.subjectId === undefined ? {} : { subjectId: binding.subjectId }),
    ...bindingOf(binding),
    ...validityOf(context, request.issuedAt),
  })
}

/** Signs one instance of a credential, with its own status entry, in one format. */
export async function signInstance(deps: Deps, request: SignRequest): Promise<SignedInstance> {
  const { context, format, status } = request
  const signer = await deps.keys.signer(context.keyId, keyIdOf(context.issuerDid, context.publicJwk))
  const instance: NewInstance = {
    listId: status.listId,
    index: status.index,
    format,
    configurationId: configurationIdOf(context.name, format),
  }
  if (format === 'dc+sd-jwt') return { compact: await signSdJwtVc(deps, signer, request), vc: undefined, instance }
  return { ...(await signJwtVc(deps, signer, request)), instance }
}
