import type { z } from 'zod'
import type { Deps } from '../../deps.js'
import { keyIdOf } from '../../dids/identity.js'
import { errors } from '../../errors.js'
import { isRedirectUri } from '../../protocol/oauth/redirect-uri.js'
import {
  ClientIdentifierError,
  type ClientIdPrefix,
  clientIdentifier,
  hasExpired,
  isUnsigned,
} from '../../protocol/openid4vp/client-identifier.js'
import type { DcqlQuery } from '../../protocol/openid4vp/dcql/dcql-query.js'
import { dcqlFromVpQuery } from '../../protocol/openid4vp/dcql/from-vp-query.js'
import type { CompiledItem, VpQueryItem } from '../../protocol/openid4vp/query/vp-query.js'
import {
  forWallet,
  type ResponseMode,
  unsignedRequestUri,
  type VerifierInfo,
} from '../../protocol/openid4vp/request-object.js'
import { responsePublicKey } from '../../protocol/openid4vp/response-encryption.js'
import { encodedTransactionData, type TransactionData } from '../../protocol/openid4vp/transaction-data.js'
import type { Work } from '../../protocol/work.js'
import { formatsOf, type ProfileName, vpFormatsOf } from '../openid4vp/profiles/profile.js'
import { assertFormats, profiled } from '../openid4vp/profiles/request.js'
import { qrCodeUrlOf } from '../qr-codes/address.js'
import { newSecrets, protectSecrets, type SessionSecrets } from '../sessions/secrets.js'
import { requestUriOf, responseUriOf, type Session, viewOf } from '../sessions/session.js'
import { orBadRequest } from '../vp-queries/compiled.js'
import type { zCreatedRequest } from './authorization-requests.contract.js'
import type { RequestContext } from './store.js'
import { newTransactionData } from './transaction-data.js'

const DEFAULT_VALIDITY_SECONDS = 300

/** What the largest QR code holds, with the least correction. */
const MAX_QR_CODE_CHARACTERS = 2_900

export interface NewRequest {
  /** What is asked for: a query of the caller's own, or items from which one is made. */
  readonly asked:
    | { readonly dcqlQuery: DcqlQuery }
    | { readonly items: readonly VpQueryItem[]; readonly compiled: readonly CompiledItem[] }
  /** That of VERIFIER_PROFILE unless given. */
  readonly profile?: ProfileName | undefined
  readonly redirectUri?: string | undefined
  /** What the profile says unless given. */
  readonly requireResponseCode?: boolean | undefined
  readonly validity?: number | undefined
  readonly responseMode?: ResponseMode | undefined
  readonly trustedIssuers?: readonly string[] | undefined
  readonly clientIdPrefix?: ClientIdPrefix | undefined
  readonly verifierInfo?: readonly VerifierInfo[] | undefined
  readonly transactionData?: readonly TransactionData[] | undefined
  readonly walletUrl?: string | undefined
  readonly createdBy: string | null
}

/** @throws 400, naming the request's member. */
export function assertRedirectUri(deps: Pick<Deps, 'config'>, member: string, uri: string | undefined): void {
  if (uri !== undefined && !isRedirectUri(uri, deps.config.allowInsecureHttp)) {
    throw errors.badRequest(`${member} must be an https URL or have an app's own scheme with a dot in it`)
  }
}

/** The DCQL query, and the items with the constraints that it cannot express. */
function queriesOf(
  deps: Pick<Deps, 'config' | 'formats'>,
  { asked }: NewRequest,
  context: RequestContext,
  profile: ProfileName,
  work: Work,
): Pick<Session, 'dcqlQuery' | 'vpQuery'> {
  if ('dcqlQuery' in asked) {
    assertFormats(deps, profile, asked.dcqlQuery)
    return { dcqlQuery: asked.dcqlQuery, vpQuery: null }
  }
  const types = { issuerBaseUrl: deps.config.issuerBaseUrl, names: context.typeNames }
  const dcqlQuery = orBadRequest(() => dcqlFromVpQuery(asked.compiled, types, formatsOf(profile, deps.formats), work))
  return { dcqlQuery, vpQuery: asked.items }
}

/** @throws 400 for a credential query that is not there. */
function verifierInfoOf({ verifierInfo }: NewRequest, { credentials }: DcqlQuery): Session['verifierInfo'] {
  const known = new Set(credentials.map(({ id }) => id))
  for (const [at, { credential_ids: ids = [] }] of (verifierInfo ?? []).entries()) {
    const unknown = ids.findIndex((id) => !known.has(id))
    if (unknown >= 0) {
      throw errors.badRequest(`verifierInfo.${at}.credential_ids.${unknown} must be the id of a credential query`)
    }
  }
  return verifierInfo ?? null
}

/**
 * How the verifier names itself: by its certificate where it has one, unless the request says otherwise.
 *
 * @throws 400 where it cannot have that name; 409 where its certificate has run out.
 */
function clientOf(
  { clock }: Pick<Deps, 'clock'>,
  { verifierDid: did, x5c }: RequestContext,
  { clientIdPrefix }: NewRequest,
  responseUri: string,
): Pick<Session, 'clientId' | 'x5c'> {
  const prefix = clientIdPrefix ?? (x5c === null ? 'decentralized_identifier' : 'x509_hash')
  const clientId = orNeeds(prefix, () => clientIdentifier(prefix, { did, x5c, responseUri }))
  if (!prefix.startsWith('x509_') || x5c === null) return { clientId, x5c: null }
  if (hasExpired(x5c, clock())) throw errors.verifierCertificateExpired()
  return { clientId, x5c }
}

function orNeeds(prefix: ClientIdPrefix, make: () => string): string {
  try {
    return make()
  } catch (thrown) {
    if (!(thrown instanceof ClientIdentifierError)) throw thrown
    throw errors.badRequest(`clientIdPrefix ${prefix} needs ${thrown.message}`)
  }
}

/**
 * Makes an authorization request and its session, with separate unguessable ids.
 *
 * @param work pays for making a DCQL query of the items
 */
export async function createRequest(
  deps: Deps,
  context: RequestContext,
  work: Work,
  request: NewRequest,
): Promise<z.input<typeof zCreatedRequest>> {
  const { validity = DEFAULT_VALIDITY_SECONDS } = request
  const kept = profiled(deps, request, context)
  const queries = queriesOf(deps, request, context, kept.profile, work)
  const secrets = newSecrets(deps, kept.responseMode)
  const createdAt = deps.clock()
  const qrCodeId = deps.newId()
  const id = deps.newId()
  const requestId = deps.newId()
  const client = clientOf(deps, context, request, responseUriOf(deps.config, requestId))
  const unsigned = isUnsigned(client.clientId)
  const session: Session = {
    id,
    requestId,
    qrCodeId,
    verifierId: context.verifierDid,
    ...client,
    keyId: context.keyId,
    kid: keyIdOf(context.verifierDid, context.publicJwk),
    // Nothing is fetched of what stands in the address: handing it out is what fetching it is elsewhere.
    state: unsigned ? 'RequestUriRetrieved' : 'RequestCreated',
    errorMessage: null,
    ...kept,
    secrets: await protectSecrets(deps, id, secrets),
    ...queries,
    trustedIssuers: request.trustedIssuers ?? null,
    verifierInfo: verifierInfoOf(request, queries.dcqlQuery),
    transactionData: newTransactionData(deps, request.transactionData, queries.dcqlQuery),
    redirectUri: request.redirectUri ?? null,
    createdBy: request.createdBy,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + validity * 1000),
  }
  const view = viewOf(deps.config, session, unsigned ? unsignedAddress(deps, session, secrets) : undefined)
  const { authorizationRequestUri } = view
  const walletUri = session.walletUrl === null ? undefined : forWallet(authorizationRequestUri, session.walletUrl)
  if (unsigned) assertFitsQrCode(walletUri ?? authorizationRequestUri)
  await deps.stores.verificationSessions.insert(session, view)
  deps.metrics.verificationSession('created')
  return {
    ...(unsigned ? {} : { request_uri: requestUriOf(deps.config, requestId) }),
    qr_code_url: qrCodeUrlOf(deps.config, qrCodeId),
    state: secrets.state,
    nonce: secrets.nonce,
    validity,
    verificationSessionId: session.id,
    authorizationRequestUri,
    ...(walletUri === undefined ? {} : { walletUri }),
  }
}

/** §5.9.3 `redirect_uri`: all parameters in the address. */
function unsignedAddress(
  { config, formats }: Pick<Deps, 'config' | 'formats'>,
  { profile, clientId, requestId, responseMode, dcqlQuery, verifierInfo, transactionData }: Session,
  { nonce, state, encryptionKey }: SessionSecrets,
): string {
  return unsignedRequestUri({
    clientId,
    responseUri: responseUriOf(config, requestId),
    responseMode,
    nonce,
    state,
    dcqlQuery,
    vpFormats: vpFormatsOf(profile, formats),
    verifierInfo: verifierInfo ?? undefined,
    transactionData: transactionData?.map(encodedTransactionData),
    encryptionKey: encryptionKey === undefined ? undefined : responsePublicKey(encryptionKey),
  })
}

/** @throws 400 for more than the largest QR code holds. */
function assertFitsQrCode(address: string): void {
  if (address.length <= MAX_QR_CODE_CHARACTERS) return
  throw errors.badRequest(
    `clientIdPrefix redirect_uri needs a request of at most ${MAX_QR_CODE_CHARACTERS} characters, which a QR code can hold`,
  )
}
