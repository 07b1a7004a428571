import { isObject, type JsonObject, objectOf } from '../../../protocol/json/json-object.js'
import { RefusedRequest } from '../refused-request.js'
import { clientMetadataOfDraft } from './client-metadata.js'
import { final, prefixed } from './final.js'
import { queryOfDefinition } from './presentation-exchange/definition-query.js'
import { submissionOf } from './presentation-exchange/submission.js'
import type { Profile, Reading } from './profile.js'

/** In 1.0, a client identifier with this beginning has the prefix `decentralized_identifier` (draft 24 §5.10.4). */
const DID = 'did:'

/**
 * OpenID4VP draft 24: client identifiers that are DIDs have no prefix, a `vp_token` holds single presentations, and Presentation
 * Exchange is a second query language.
 */
export const draft24: Profile = {
  ...final,
  name: 'draft24',
  verifierOf: ({ client_id: clientId }) => {
    const text = String(clientId)
    return text.startsWith(DID) ? { prefix: 'decentralized_identifier', identifier: text } : prefixed(text)
  },
  clientMetadataOf: ({ client_metadata: metadata }) => clientMetadataOfDraft(objectOf(metadata)),
  hasFormat: ({ holding }) => holding.exchange !== undefined,
  askedBy: (parameters, reading) => {
    const { dcql_query: dcql, presentation_definition: definition, client_metadata: metadata } = parameters
    // JARM §3: the verifier asked for a signed answer, and an answer that is only encrypted is not sufficient.
    if (objectOf(metadata).authorization_signed_response_alg !== undefined && isJarm(parameters)) {
      throw new RefusedRequest('invalid_request', 'The authorization request requires a signed response.')
    }
    if (dcql !== undefined) return { query: withMeta(objectOf(dcql), reading) }
    if (definition !== undefined && parameters.presentation_definition_uri === undefined) {
      return queryOfDefinition(definition, objectOf(metadata).vp_formats, reading.formats, reading.work)
    }
    throw new RefusedRequest(
      'invalid_request',
      'The authorization request has neither a dcql_query nor a presentation_definition by value.',
    )
  },
  // Draft 24 §10.1
  walletMetadataOf: ({ client_id_prefixes_supported: prefixes, ...metadata }) => ({
    ...metadata,
    client_id_schemes_supported: schemesOf(prefixes),
    presentation_definition_uri_supported: false,
  }),
  // Draft 24 §8.1
  responseOf: (answers, { exchange }, { formats, newId }) =>
    exchange === undefined
      ? { vp_token: Object.fromEntries(answers.map(({ queryId, presentation }) => [queryId, presentation])) }
      : submissionOf(answers, exchange, formats, newId()),
}

const isJarm = ({ response_mode: mode }: JsonObject): boolean => mode === 'direct_post.jwt'

/**
 * Draft 24 §6.1: a query without `meta` asks for credentials of any type. In 1.0, each format expresses "any type" in
 * its own `meta`.
 */
function withMeta(query: JsonObject, { formats, work }: Reading): JsonObject {
  if (!Array.isArray(query.credentials)) return query
  const credentials = query.credentials.map((one: unknown) => {
    if (!isObject(one) || one.meta !== undefined) return one
    const [meta] =
      formats.known(one.format)?.querying.metasOf({ fields: [] }, { issuerBaseUrl: '', names: [] }, work) ?? []
    return meta === undefined ? one : { ...one, meta }
  })
  return { ...query, credentials }
}

/** Client identifier schemes, the drafts' name for prefixes. */
export function schemesOf(prefixes: unknown): readonly string[] {
  const names: readonly unknown[] = Array.isArray(prefixes) ? prefixes : []
  return names.flatMap((name) => {
    if (name === 'decentralized_identifier') return ['did']
    // The drafts do not know x509_hash.
    return typeof name === 'string' && name !== 'x509_hash' ? [name] : []
  })
}
