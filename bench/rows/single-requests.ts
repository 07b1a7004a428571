import { measureRequests, type RequestShape } from '../measure/requests.js'
import type { Target } from '../targets/target.js'
import type { World } from '../world.js'
import { SUBJECT, TYPE } from './fixture.js'
import type { Goal } from './goal.js'
import type { Row } from './row.js'

/** Number of connections that keeps one process busy without a long queue. */
const CONNECTIONS = 16

export const BARE_EXPRESS = 'bare Express 5, GET /version'
export const NOOP = 'no-op: GET /version'
export const BEARER_NOOP = 'no-op behind the Bearer check'

/** Lifetime of requests and offers. It is longer than all rounds together. */
const OPEN_SECONDS = 86_400

const pathOf = (url: string | undefined) => new URL(String(url)).pathname

/** The paths of the share pages of an open request and of an open offer. */
async function openPages({ credence, service }: World) {
  const query = {
    id: 'purchase',
    format: 'dc+sd-jwt' as const,
    meta: { vct_values: [`${service.url}/vct/${TYPE}`] },
    claims: [{ path: ['productName'] }, { path: ['purchaseDate'] }],
  }
  const asked = await credence.authorizationRequests.create.mutate({
    dcqlQuery: { credentials: [query] },
    page: true,
    validity: OPEN_SECONDS,
  })
  const offered = await credence.credentialOffers.create.mutate({
    credentialConfigurationIds: [`${TYPE}-sd-jwt`],
    credentialSubject: SUBJECT,
    page: true,
    expiresInSeconds: OPEN_SECONDS,
  })
  const pages = { presentPage: pathOf(asked.pageUrl), receivePage: pathOf(offered.pageUrl) }
  // The first view draws the QR code, which is then cached. The rows measure later views.
  for (const path of Object.values(pages)) {
    const { ok, status } = await fetch(`${service.url}${path}`)
    if (!ok) throw new Error(`${path}: ${status}`)
  }
  return pages
}

/** A credential of each format, and values from these credentials that the rows need. */
async function prepare(world: World) {
  const { credence } = world
  const offering = await credence.offerings.create.mutate({
    credential_type: TYPE,
    credential_subject: SUBJECT,
  })
  const { id, vc } = await credence.credentials.create.mutate({ type: TYPE, credential_subject: SUBJECT })
  const { credential: sdJwt } = await credence.credentials.sign.mutate({
    type: TYPE,
    credential_subject: SUBJECT,
    format: 'dc+sd-jwt',
  })
  const statusList = String(vc.credentialStatus?.[0]?.statusListCredential)
  const payload = JSON.parse(Buffer.from(sdJwt.split('.')[1] ?? '', 'base64url').toString())
  const tokenStatusList = String(payload.status.status_list.uri)
  return {
    offeringId: offering.id,
    id,
    jwtVc: String(vc.proof?.jws),
    sdJwt,
    statusList: pathOf(statusList),
    tokenStatusList: pathOf(tokenStatusList),
    ...(await openPages(world)),
  }
}

/** Rows that measure one kind of request, at the service and at bare Express. */
export async function singleRequestRows(world: World): Promise<Row[]> {
  const { service, express } = world
  const { offeringId, id, jwtVc, sdJwt, statusList, tokenStatusList, presentPage, receivePage } = await prepare(world)
  const headers = { authorization: world.authorization }
  const row = (name: string, target: Target, shape: RequestShape, ...goals: readonly Goal[]): Row => ({
    name,
    goals,
    measure: (seconds) => measureRequests(target, shape, CONNECTIONS, seconds),
  })
  const verifying = (credential: string): RequestShape => ({
    method: 'POST',
    path: '/credentials/verify',
    headers,
    json: { credential },
    says: '"isValid":true',
  })
  const creating = { type: TYPE, credential_subject: SUBJECT }
  return [
    row(BARE_EXPRESS, express, { method: 'GET', path: '/version' }),
    row(NOOP, service, { method: 'GET', path: '/version' }, { kind: 'rate', of: BARE_EXPRESS, atLeast: 0.6 }),
    row(BEARER_NOOP, service, { method: 'GET', path: '/bench/noop', headers }),
    row('POST /credentials/verify, JWT VC', service, verifying(jwtVc), { kind: 'rate', of: BEARER_NOOP, atLeast: 0.5 }),
    row('POST /credentials/verify, SD-JWT VC', service, verifying(sdJwt), {
      kind: 'rate',
      of: BEARER_NOOP,
      atLeast: 0.5,
    }),
    row(
      'POST /api/v1/credentials',
      service,
      { method: 'POST', path: '/api/v1/credentials', headers, json: creating },
      { kind: 'rate', of: BEARER_NOOP, atLeast: 0.25 },
    ),
    row('POST /api/v1/offerings/{id}/claim', service, {
      method: 'POST',
      path: `/api/v1/offerings/${offeringId}/claim`,
      headers,
    }),
    row('GET /api/v1/credentials/{id}', service, { method: 'GET', path: `/api/v1/credentials/${id}`, headers }),
    row('GET /status-lists/{id}', service, { method: 'GET', path: statusList }),
    row('GET /token-status-lists/{id}', service, { method: 'GET', path: tokenStatusList }),
    row('GET /present/{id}, a page for people', service, { method: 'GET', path: presentPage }),
    row('GET /receive/{id}, a page for people', service, { method: 'GET', path: receivePage }),
  ]
}
