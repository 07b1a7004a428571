import type { JsonObject } from '../../../protocol/json/json-object.js'
import { entriesOf, readPresentations } from '../../../protocol/openid4vp/authorization-response.js'
import { formerFault, formerQuery } from '../../../protocol/openid4vp/dcql/former.js'
import { VERIFIED_ALGORITHMS } from '../../../protocol/openid4vp/vp-formats.js'
import { draft, formerClientMetadata, formerWalletMetadata, queryFault } from './draft.js'
import type { KnownFormats, Profile } from './profile.js'

const DID_PREFIX = 'decentralized_identifier:'

/** §5.10.1: a DID has no prefix; every other scheme is a prefix, as in 1.0. */
const formerClientId = (clientId: string): string =>
  clientId.startsWith(DID_PREFIX) ? clientId.slice(DID_PREFIX.length) : clientId

const vpFormatsOf = ({ all }: KnownFormats) =>
  all.map(({ querying }) => querying.exchange.vpFormats(VERIFIED_ALGORITHMS, VERIFIED_ALGORITHMS))

/** §7.1: one presentation for each query. The array of 1.0 is also accepted. */
const inArrays = (entries: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(entries).map(([id, entry]) => [id, Array.isArray(entry) ? entry : [entry]]))

/** OpenID4VP draft 24 (January 2025): DCQL, one presentation for each query, and the encrypted answers of JARM. */
export const draft24: Profile = {
  ...draft,
  unsayable: ({ verifierInfo, dcqlQuery, vpQuery }) =>
    verifierInfo === undefined ? queryFault(vpQuery, formerFault(dcqlQuery)) : 'verifierInfo must be left out',
  clientParameters: (clientId) => ({ client_id: formerClientId(clientId) }),
  requestParameters: (
    { client_id: id = '', dcql_query: query, client_metadata: metadata, ...parameters },
    { formats, wallet },
  ) => ({
    ...parameters,
    ...draft24.clientParameters(id),
    // §6
    dcql_query: formerQuery(query, formats.named),
    // §5.1, §11.1
    client_metadata: formerClientMetadata(metadata, vpFormatsOf(formats), wallet),
  }),
  walletMetadata: (metadata, { all }) => formerWalletMetadata(metadata, all, ({ name }) => name),
  presentations: ({ vp_token: sent }) => readPresentations({ vp_token: inArrays(entriesOf(sent)) }),
}
