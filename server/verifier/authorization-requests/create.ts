import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import { type Config, certifiesIssuers } from '../../config/config.js'
import { keyIdOf } from '../../dids/identity.js'
import type { Formats } from '../../formats/registry.js'
import { DAY_SECONDS } from '../../maintenance/task.js'
import type { Names } from '../../names/names.js'
import { presentPageUrl } from '../../pages/addresses.js'
import { isRedirectUri } from '../../protocol/oauth/redirect-uri.js'
import type { ClientIdPrefix } from '../../protocol/openid4vp/client-identifier.js'
import type { DcqlQuery } from '../../protocol/openid4vp/dcql/dcql-query.js'
import { dcqlFromVpQuery } from '../../protocol/openid4vp/dcql/from-vp-query.js'
import type { CompiledItem, VpQueryItem } from '../../protocol/openid4vp/query/vp-query.js'
import type { ResponseMode, VerifierInfo } from '../../protocol/openid4vp/request-object.js'
import type { TransactionData } from '../../protocol/openid4vp/transaction-data.js'
import type { Work } from '../../protocol/work.js'
import type { FixRequest } from '../openid4vp/fix-request.js'
import type { ProfileName } from '../openid4vp/profiles/profile.js'
import { askableFormats } from '../openid4vp/profiles/profiles.js'
import { assertFormats, assertSayable, profiled } from '../openid4vp/profiles/request.js'
import { type SessionVault, withTransactionData } from '../sessions/secrets.js'
import { responseUriOf, type Session, viewOf, wayOf } from '../sessions/session.js'
import type { VerificationSessions } from '../sessions/verification-sessions.js'
import { orBadRequest } from '../vp-queries/compiled.js'
import type { zCreatedRequest } from './authorization-requests.contract.js'
import { clientOf, isNamed, UNNAMED } from './client.js'
import type { HandOut } from './hand-out.js'
import type { NewRequestPage } from './page.js'
import { chooseRegistration } from './registration.js'
import type { RequestContext } from './store.js'
import { newTransactionData } from './transaction-data.js'

const DEFAULT_VALIDITY_SECONDS = 300

export interface NewRequest extends Names {
  /** Why the verifier makes the request, for the share page. */
  readonly purpose?: string | undefined
  /** The query: the caller's own DCQL query, or items that are converted to a DCQL query. */
  readonly asked:
    | { readonly dcqlQuery: DcqlQuery }
    | { readonly items: readonly VpQueryItem[]; readonly compiled: readonly CompiledItem[] }
  /** Default: VERIFIER_PROFILE. */
  readonly profile?: ProfileName | undefined
  readonly redirectUri?: string | undefined
  /** The profile sets the default. */
  readonly requireResponseCode?: boolean | undefined
  readonly validity?: number | undefined
  readonly responseMode?: ResponseMode | undefined
  readonly trustedIssuers?: readonly string[] | undefined
  /**
   * Client identifier prefixes. Over the Digital Credentials API, a request may have several prefixes, with one
   * signature for each.
   */
  readonly clientIdPrefix?: ClientIdPrefix | readonly ClientIdPrefix[] | undefined
  /** Over the Digital Credentials API only. */
  readonly signed?: boolean | undefined
  readonly expectedOrigins?: readonly string[] | undefined
  readonly verifierInfo?: readonly VerifierInfo[] | undefined
  /** The intended use, or the id, of a registration certificate of the verifier. Default: the only one that fits. */
  readonly intendedUse?: string | undefined
  readonly transactionData?: readonly TransactionData[] | undefined
  readonly walletUrl?: string | undefined
  /** Whether the request gets a share page. */
  readonly page?: boolean | undefined
  /** Whether evidence of the answer is kept. */
  readonly keepEvidence?: boolean | undefined
  /** Default: as long as the result. */
  readonly evidenceRetention?: { readonly days: number } | undefined
  readonly createdBy: string | null
}

/** @throws 400 that names the member of the request. */
export function assertRedirectUri(
  { allowInsecureHttp }: Pick<Config, 'allowInsecureHttp'>,
  member: string,
  uri: string | undefined,
): void {
  if (uri === undefined) return
  if (!isRedirectUri(uri, allowInsecureHttp)) {
    throw errors.badRequest(`${member} must be an https URL or have an app's own scheme with a dot in it`)
  }
  // Otherwise the redirect would contain two codes, and its receiver might use the wrong code, which is not secret.
  if (new URL(uri).searchParams.has('response_code')) throw errors.badRequest(`${member} must have no response_code`)
}

/** @throws 400 that names the first origin that is neither https nor, if ALLOW_INSECURE_HTTP is set, http. */
export function assertOrigins(
  { allowInsecureHttp }: Pick<Config, 'allowInsecureHttp'>,
  origins: readonly string[] = [],
): void {
  if (allowInsecureHttp) return
  const insecure = origins.findIndex((origin) => origin.startsWith('http:'))
  if (insecure >= 0) throw errors.badRequest(`expectedOrigins.${insecure} must be an origin of https`)
}

/** @throws 400 for trust by certificates without trust anchors: every answer would be refused. */
export function assertTrusted(config: Pick<Config, 'trustAnchors' | 'listed'>, entries: readonly string[] = []): void {
  if (entries.includes('x5c') && !certifiesIssuers(config)) {
    throw errors.badRequest('trustedIssuers x5c needs TRUST_ANCHORS or a trusted list')
  }
}

/** @throws 400 for the id of an unknown credential query. */
function assertInfo({ verifierInfo }: NewRequest, { credentials }: DcqlQuery): void {
  const known = new Set(credentials.map(({ id }) => id))
  for (const [at, { credential_ids: ids = [] }] of (verifierInfo ?? []).entries()) {
    const unknown = ids.findIndex((id) => !known.has(id))
    if (unknown >= 0) {
      throw errors.badRequest(`verifierInfo.${at}.credential_ids.${unknown} must be the id of a credential query`)
    }
  }
}

/** How long evidence is kept after the end, in seconds; null if the request asks for none. */
function evidenceSecondsOf(
  { keepEvidence = false, evidenceRetention }: Pick<NewRequest, 'keepEvidence' | 'evidenceRetention'>,
  { sessionResultTtlSeconds }: Pick<Config, 'sessionResultTtlSeconds'>,
): number | null {
  if (!keepEvidence) return null
  return evidenceRetention === undefined ? sessionResultTtlSeconds : evidenceRetention.days * DAY_SECONDS
}

/** Dependencies of {@link createMakeRequest}. */
export interface MakeRequestPorts {
  readonly config: Pick<
    Config,
    | 'issuerBaseUrl'
    | 'sessionResultTtlSeconds'
    | 'trustAnchors'
    | 'verifierAttestation'
    | 'verifierBaseUrl'
    | 'verifierLegacyProfiles'
    | 'verifierProfile'
    | 'verifierResponseMode'
  >
  readonly formats: Pick<Formats, 'all' | 'named'>
  readonly clock: () => Date
  readonly newId: () => string
  readonly sessionVault: Pick<SessionVault, 'newSecrets' | 'protect'>
  readonly addSession: VerificationSessions['add']
  readonly handOut: HandOut
  readonly fixRequest: FixRequest
  readonly newPage: NewRequestPage
}

/**
 * Makes an authorization request and its session. The ids of request and session differ, and nobody can guess them.
 *
 * @param work the budget for the conversion of the items to DCQL
 */
export type MakeRequest = (
  context: RequestContext,
  work: Work,
  request: NewRequest,
) => Promise<z.input<typeof zCreatedRequest>>

export function createMakeRequest({
  config,
  formats,
  clock,
  newId,
  sessionVault,
  addSession,
  handOut,
  fixRequest,
  newPage,
}: MakeRequestPorts): MakeRequest {
  /** The DCQL query, and the items with the constraints that DCQL cannot express. */
  const queriesOf = (
    { asked }: NewRequest,
    { typeNames: names }: RequestContext,
    profile: ProfileName,
    work: Work,
  ): Pick<Session, 'dcqlQuery' | 'vpQuery'> => {
    if ('dcqlQuery' in asked) {
      assertFormats(profile, asked.dcqlQuery, formats, config)
      return { dcqlQuery: asked.dcqlQuery, vpQuery: null }
    }
    const types = { issuerBaseUrl: config.issuerBaseUrl, names }
    const askable = askableFormats(profile, formats, config)
    return {
      dcqlQuery: orBadRequest(() => dcqlFromVpQuery(asked.compiled, types, askable, work)),
      vpQuery: asked.items,
    }
  }

  return async (context, work, request) => {
    const { validity = DEFAULT_VALIDITY_SECONDS } = request
    const named = isNamed(request, context)
    const kept = profiled(config, { ...request, signed: named }, context)
    const queries = queriesOf(request, context, kept.profile, work)
    assertSayable(kept.profile, { ...request, ...queries })
    const fresh = sessionVault.newSecrets(kept.responseMode)
    const createdAt = clock()
    const id = newId()
    const requestId = newId()
    const naming = { ...request, profile: kept.profile }
    const client = named ? clientOf(context, naming, responseUriOf(config, requestId), config, createdAt) : UNNAMED
    const way = wayOf({ ...client, ...kept })
    assertInfo(request, queries.dcqlQuery)
    const member = 'dcqlQuery' in request.asked ? 'dcqlQuery' : 'query'
    const asking = { ...request, ...queries, member, profile: kept.profile, x5c: client.x5c } as const
    const registration = await chooseRegistration(context, asking, formats, createdAt)
    const verifierInfo = [...(registration === undefined ? [] : [registration.info]), ...(request.verifierInfo ?? [])]
    const made: Session = {
      id,
      requestId,
      qrCodeId: way === 'browser' ? null : newId(),
      verifierId: context.verifierDid,
      ...client,
      keyId: context.keyId,
      kid: keyIdOf(context.verifierDid, context.publicJwk),
      // If no wallet fetches the request, its creation already counts as the fetch.
      state: way === 'reference' ? 'RequestCreated' : 'RequestUriRetrieved',
      errorMessage: null,
      ...kept,
      expectedOrigins: request.expectedOrigins ?? null,
      secrets: null,
      ...queries,
      trustedIssuers: request.trustedIssuers ?? null,
      verifierInfo: verifierInfo.length === 0 ? null : verifierInfo,
      transactionData: newTransactionData(request.transactionData, queries.dcqlQuery, formats),
      redirectUri: request.redirectUri ?? null,
      evidenceSeconds: evidenceSecondsOf(request, config),
      createdBy: request.createdBy,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + validity * 1000),
    }
    const hidden = withTransactionData(fresh, made)
    const secrets = made.evidenceSeconds === null ? hidden : { ...hidden, sent: await fixRequest(made, hidden) }
    const session = { ...made, secrets: await sessionVault.protect(id, secrets) }
    const handedOut = await handOut(session, secrets)
    const page = request.page === true ? newPage(session, { inQrCode: true }) : undefined
    await addSession({ ...session, transactionData: null }, viewOf(session, handedOut.authorizationRequestUri), page, {
      ...request,
      purpose: request.purpose ?? registration?.purpose,
    })
    return {
      ...handedOut,
      nonce: secrets.nonce,
      validity,
      verificationSessionId: session.id,
      ...(page === undefined ? {} : { pageUrl: presentPageUrl(config, page.id) }),
    }
  }
}
