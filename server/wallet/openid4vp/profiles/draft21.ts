import { objectOf } from '../../../protocol/json/json-object.js'
import { draft24, schemesOf } from './draft24.js'
import type { Profile } from './profile.js'

const TYPES: ReadonlySet<string | undefined> = new Set([undefined, 'jwt', 'oauth-authz-req+jwt'])

/** OpenID4VP draft 21: the scheme is a parameter beside the client identifier, and the query language is Presentation Exchange. */
export const draft21: Profile = {
  ...draft24,
  name: 'draft21',
  addressed: ['client_id', 'client_id_scheme'],
  // RFC 9101 §10.8 does not require `typ`.
  allowsType: (typ) => TYPES.has(typ),
  // Draft 21 §5.7
  verifierOf: ({ client_id: clientId, client_id_scheme: scheme }) => ({
    prefix: scheme === 'did' ? 'decentralized_identifier' : String(scheme),
    identifier: String(clientId),
  }),
  // Draft 21 §9.1: the metadata list formats also under their former names.
  walletMetadataOf: (metadata, formats) => ({
    ...draft24.walletMetadataOf(metadata, formats),
    vp_formats_supported: {
      ...Object.fromEntries(
        formats.all.flatMap(({ querying }) => querying.exchange.presentedAs.map((name) => [name, {}])),
      ),
      ...objectOf(metadata.vp_formats_supported),
    },
    client_id_schemes_supported: schemesOf(metadata.client_id_prefixes_supported),
  }),
}
