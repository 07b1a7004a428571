import { measureRequests } from '../measure/requests.js'
import type { Installation } from '../world.js'
import { SUBJECT, TYPE } from './fixture.js'
import type { Row } from './row.js'

const CONNECTIONS = 16
/**
 * The page size of the console. With the default of 1,000, the length of a page would depend on the number of records
 * that other rows have made.
 */
const PAGE = 100

/** Lists of the REST interface and of the console. */
const LISTS = [
  '/api/v1/offerings',
  '/api/v1/verifier/vp-queries',
  '/agent/issuers',
  '/agent/dids',
  '/api/v1/credentials',
  '/api/v1/credential-offer-sessions',
  '/api/v1/verification-sessions',
  '/api/v1/audit-events',
  '/api/v1/schemas',
]

const QUERY = [{ fields: [{ path: ['$.credentialSubject.productName'] }] }]

/** Rows of the first page of the lists that operators use. The pages are full, except for schemas, issuers and DIDs. */
export async function listRows({ service, credence, authorization, clientSecret }: Installation): Promise<Row[]> {
  const headers = { authorization, 'x-client-secret': clientSecret }
  for (let made = 0; made < PAGE; made += 1) {
    await credence.offerings.create.mutate({ credential_type: TYPE, credential_subject: SUBJECT })
    await credence.vpQueries.create.mutate({ query: QUERY })
    await credence.credentials.create.mutate({ type: TYPE, credential_subject: SUBJECT })
    await credence.credentialOffers.create.mutate({
      credentialConfigurationIds: [`${TYPE}-sd-jwt`],
      credentialSubject: SUBJECT,
    })
    await credence.authorizationRequests.create.mutate({ query: QUERY })
  }
  return LISTS.map((path) => ({
    name: `GET ${path}?limit=${PAGE}`,
    measure: (seconds) =>
      measureRequests(service, { method: 'GET', path: `${path}?limit=${PAGE}`, headers }, CONNECTIONS, seconds),
  }))
}
