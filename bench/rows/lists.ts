import { measureRequests } from '../measure/requests.js'
import type { Installation } from '../world.js'
import { SUBJECT, TYPE } from './fixture.js'
import type { Row } from './row.js'

const CONNECTIONS = 16
/** More than a page of each. */
const ENTRIES = 120

const LISTS = ['/api/v1/offerings', '/api/v1/verifier/vp-queries', '/agent/issuers', '/agent/dids']

const QUERY = [{ fields: [{ path: ['$.credentialSubject.productName'] }] }]

/** Rows of the first page of the lists that people manage an installation by. */
export async function listRows({ service, credence, authorization, clientSecret }: Installation): Promise<Row[]> {
  const headers = { authorization, 'x-client-secret': clientSecret }
  for (let made = 0; made < ENTRIES; made += 1) {
    await credence.offerings.create.mutate({ credential_type: TYPE, credential_subject: SUBJECT })
    await credence.vpQueries.create.mutate({ query: QUERY })
  }
  return LISTS.map((path) => ({
    name: `GET ${path}, a list`,
    measure: (seconds) => measureRequests(service, { method: 'GET', path, headers }, CONNECTIONS, seconds),
  }))
}
