import type { CredentialFormat } from '../../../formats/format.js'
import { descriptorFormats } from '../../../protocol/openid4vp/presentation-exchange/definition.js'
import { exchangeFault, presentationDefinitionOf } from '../../../protocol/openid4vp/presentation-exchange/from-dcql.js'
import { submittedPresentations } from '../../../protocol/openid4vp/presentation-exchange/submission.js'
import { VERIFIED_ALGORITHMS } from '../../../protocol/openid4vp/vp-formats.js'
import { draft, formerClientMetadata, formerWalletMetadata, queryFault } from './draft.js'
import type { KnownFormats, Profile } from './profile.js'

/** Appendix A.4: this draft uses the former names of formats. */
const formerly = (format: CredentialFormat): CredentialFormat => format.former ?? format

const formerlyNamed = (formats: KnownFormats) => (name: string) => formerly(formats.named(name))

const ALGORITHMS = { algorithms: VERIFIED_ALGORITHMS, holderAlgorithms: VERIFIED_ALGORITHMS }

const vpFormatsOf = ({ all }: KnownFormats) =>
  all.map((format) => descriptorFormats(formerly(format).querying.exchange, ALGORITHMS))

/** OpenID4VP draft 21 (July 2024): Presentation Exchange, and a scheme beside the client identifier. */
export const draft21: Profile = {
  ...draft,
  unsayable: ({ transactionData, verifierInfo, dcqlQuery, vpQuery }) => {
    if (transactionData !== undefined) return 'transactionData must be left out'
    if (verifierInfo !== undefined) return 'verifierInfo must be left out'
    return queryFault(vpQuery, exchangeFault(dcqlQuery))
  },
  // §5.7
  clientParameters: (clientId) => {
    const [prefix = ''] = clientId.split(':', 1)
    const client_id_scheme = prefix === 'decentralized_identifier' ? 'did' : prefix
    return { client_id: clientId.slice(prefix.length + 1), client_id_scheme }
  },
  // §9.1 takes all metadata of RFC 7591.
  namesVerifier: true,
  requestParameters: (
    { client_id: clientId = '', dcql_query: query, client_metadata: metadata, ...parameters },
    { id, formats, wallet, verifier },
  ) => ({
    ...parameters,
    ...draft21.clientParameters(clientId),
    // §5.1
    presentation_definition: presentationDefinitionOf(id, query, formerlyNamed(formats), ALGORITHMS),
    // §9.1
    client_metadata: { ...verifier, ...formerClientMetadata(metadata, vpFormatsOf(formats), wallet) },
  }),
  walletMetadata: (metadata, { all }) => formerWalletMetadata(metadata, all, (format) => formerly(format).name),
  // §6.1
  presentations: (parameters, { id, dcqlQuery, formats }) =>
    submittedPresentations(parameters, { definitionId: id, query: dcqlQuery, formatNamed: formerlyNamed(formats) }),
}
