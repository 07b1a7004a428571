import { measureRequests, type RequestShape } from '../measure/requests.js'
import type { Target } from '../targets/target.js'
import type { World } from '../world.js'
import { SUBJECT, TYPE } from './fixture.js'
import type { Row } from './row.js'

/** Enough to keep one process busy without a long queue before it. */
const CONNECTIONS = 16

export const BARE_EXPRESS = 'bare Express 5, GET /version'
export const NOOP = 'no-op: GET /version'
export const BEARER_NOOP = 'no-op behind the Bearer check'

/** A credential of each format and what the rows read of them. */
async function prepare({ credence }: World) {
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
  return { offeringId: offering.id, id, jwtVc: String(vc.proof?.jws), sdJwt, statusList: new URL(statusList).pathname }
}

/** Rows of one request each, on the service and on the yardstick beside it. */
export async function singleRequestRows(world: World): Promise<Row[]> {
  const { service, express } = world
  const { offeringId, id, jwtVc, sdJwt, statusList } = await prepare(world)
  const headers = { authorization: world.authorization }
  const row = (name: string, target: Target, shape: RequestShape, goal?: Row['goal']): Row => ({
    name,
    ...(goal === undefined ? {} : { goal }),
    measure: (seconds) => measureRequests(target, shape, CONNECTIONS, seconds),
  })
  const verifying = (credential: string): RequestShape => ({
    method: 'POST',
    path: '/credentials/verify',
    headers,
    json: { credential },
  })
  const creating = { type: TYPE, credential_subject: SUBJECT }
  return [
    row(BARE_EXPRESS, express, { method: 'GET', path: '/version' }),
    row(NOOP, service, { method: 'GET', path: '/version' }, { of: BARE_EXPRESS, atLeast: 0.6 }),
    row(BEARER_NOOP, service, { method: 'GET', path: '/bench/noop', headers }),
    row('POST /credentials/verify, JWT VC', service, verifying(jwtVc), { of: BEARER_NOOP, atLeast: 0.5 }),
    row('POST /credentials/verify, SD-JWT VC', service, verifying(sdJwt), { of: BEARER_NOOP, atLeast: 0.5 }),
    row(
      'POST /api/v1/credentials',
      service,
      { method: 'POST', path: '/api/v1/credentials', headers, json: creating },
      { of: BEARER_NOOP, atLeast: 0.25 },
    ),
    row('POST /api/v1/offerings/{id}/claim', service, {
      method: 'POST',
      path: `/api/v1/offerings/${offeringId}/claim`,
      headers,
    }),
    row('GET /api/v1/credentials/{id}', service, { method: 'GET', path: `/api/v1/credentials/${id}`, headers }),
    row('GET /status-lists/{id}', service, { method: 'GET', path: statusList }),
  ]
}
