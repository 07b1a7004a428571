import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { Deps } from '../../deps.js'
import { keyIdOf } from '../../dids/identity.js'
import { presentPageUrl } from '../../pages/addresses.js'
import { isRedirectUri } from '../../protocol/oauth/redirect-uri.js'
import type { ClientIdPrefix } from '../../protocol/openid4vp/client-identifier.js'
import type { DcqlQuery } from '../../protocol/openid4vp/dcql/dcql-query.js'
import { dcqlFromVpQuery } from '../../protocol/openid4vp/dcql/from-vp-query.js'
import type { CompiledItem, VpQueryItem } from '../../protocol/openid4vp/query/vp-query.js'
import type { ResponseMode, VerifierInfo } from '../../protocol/openid4vp/request-object.js'
import type { TransactionData } from '../../protocol/openid4vp/transaction-data.js'
import type { Work } from '../../protocol/work.js'
import { askableFormats, type ProfileName } from '../openid4vp/profiles/profile.js'
import { assertFormats, assertSayable, profiled } from '../openid4vp/profiles/request.js'
import { newSecrets, protectSecrets } from '../sessions/secrets.js'
import { responseUriOf, type Session, viewOf, wayOf } from '../sessions/session.js'
import { orBadRequest } from '../vp-queries/compiled.js'
import type { zCreatedRequest } from './authorization-requests.contract.js'
import { clientOf, isNamed, UNNAMED } from './client.js'
import { handOut } from './hand-out.js'
import { newPageOf } from './page.js'
import type { RequestContext } from './store.js'
import { newTransactionData } from './transaction-data.js'

const DEFAULT_VALIDITY_SECONDS = 300

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
  /** How the verifier names itself; several where each of them signs, over the Digital Credentials API. */
  readonly clientIdPrefix?: ClientIdPrefix | readonly ClientIdPrefix[] | undefined
  /** Over the Digital Credentials API alone. */
  readonly signed?: boolean | undefined
  readonly expectedOrigins?: readonly string[] | undefined
  readonly verifierInfo?: readonly VerifierInfo[] | undefined
  readonly transactionData?: readonly TransactionData[] | undefined
  readonly walletUrl?: string | undefined
  /** Whether people get a page for it. */
  readonly page?: boolean | undefined
  readonly createdBy: string | null
}

/** @throws 400, naming the request's member. */
export function assertRedirectUri(deps: Pick<Deps, 'config'>, member: string, uri: string | undefined): void {
  if (uri === undefined) return
  if (!isRedirectUri(uri, deps.config.allowInsecureHttp)) {
    throw errors.badRequest(`${member} must be an https URL or have an app's own scheme with a dot in it`)
  }
  // Of two in the address that people come back to, one might read the one that is no secret.
  if (new URL(uri).searchParams.has('response_code')) throw errors.badRequest(`${member} must have no response_code`)
}

/** @throws 400, naming the first that is not of https, nor of http where that is allowed. */
export function assertOrigins({ config }: Pick<Deps, 'config'>, origins: readonly string[] = []): void {
  if (config.allowInsecureHttp) return
  const insecure = origins.findIndex((origin) => origin.startsWith('http:'))
  if (insecure >= 0) throw errors.badRequest(`expectedOrigins.${insecure} must be an origin of https`)
}

/** @throws 400 for trust by certificates where none can be proven, so that every answer would be refused. */
export function assertTrusted({ config }: Pick<Deps, 'config'>, entries: readonly string[] = []): void {
  if (entries.includes('x5c') && config.trustAnchors.length === 0) {
    throw errors.badRequest('trustedIssuers x5c needs TRUST_ANCHORS')
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
  const dcqlQuery = orBadRequest(() => dcqlFromVpQuery(asked.compiled, types, askableFormats(profile, deps), work))
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
  const named = isNamed(request, context)
  const kept = profiled(deps, { ...request, signed: named }, context)
  const queries = queriesOf(deps, request, context, kept.profile, work)
  assertSayable(kept.profile, { ...request, ...queries })
  const secrets = newSecrets(deps, kept.responseMode)
  const createdAt = deps.clock()
  const id = deps.newId()
  const requestId = deps.newId()
  const naming = { ...request, profile: kept.profile }
  const client = named ? clientOf(deps, context, naming, responseUriOf(deps.config, requestId)) : UNNAMED
  const way = wayOf({ ...client, ...kept })
  const session: Session = {
    id,
    requestId,
    qrCodeId: way === 'browser' ? null : deps.newId(),
    verifierId: context.verifierDid,
    ...client,
    keyId: context.keyId,
    kid: keyIdOf(context.verifierDid, context.publicJwk),
    // Where nothing is fetched, handing it out is what fetching it is elsewhere.
    state: way === 'reference' ? 'RequestCreated' : 'RequestUriRetrieved',
    errorMessage: null,
    ...kept,
    expectedOrigins: request.expectedOrigins ?? null,
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
  const handedOut = await handOut(deps, session, secrets)
  const page = request.page === true ? newPageOf(deps, session, { inQrCode: true }) : undefined
  await deps.stores.verificationSessions.insert(session, viewOf(session, handedOut.authorizationRequestUri), page)
  deps.metrics.verificationSession('created')
  return {
    ...handedOut,
    nonce: secrets.nonce,
    validity,
    verificationSessionId: session.id,
    ...(page === undefined ? {} : { pageUrl: presentPageUrl(deps.config, page.id) }),
  }
}
