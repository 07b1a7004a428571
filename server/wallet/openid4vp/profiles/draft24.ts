import { objectOf } from '../../../protocol/json/json-object.js'
import { clientMetadataOfDraft } from './client-metadata.js'
import { final, prefixed } from './final.js'
import type { Profile } from './profile.js'

/** What is a prefix of 1.0 by another name (draft 24 §5.10.4). */
const DID = 'did:'

/** OpenID4VP draft 24: client identifiers that are DIDs have no prefix, and a `vp_token` holds single presentations. */
export const draft24: Profile = {
  ...final,
  name: 'draft24',
  verifierOf: ({ client_id: clientId }) => {
    const text = String(clientId)
    return text.startsWith(DID) ? { prefix: 'decentralized_identifier', identifier: text } : prefixed(text)
  },
  clientMetadataOf: ({ client_metadata: metadata }) => clientMetadataOfDraft(objectOf(metadata)),
  // Draft 24 §10.1
  walletMetadataOf: ({ client_id_prefixes_supported: prefixes, ...metadata }) => ({
    ...metadata,
    client_id_schemes_supported: schemesOf(prefixes),
    presentation_definition_uri_supported: false,
  }),
  // Draft 24 §8.1
  responseOf: (answers) => ({
    vp_token: Object.fromEntries(answers.map(({ queryId, presentation }) => [queryId, presentation])),
  }),
}

/** Client identifier schemes, as drafts called the prefixes. */
export function schemesOf(prefixes: unknown): readonly string[] {
  const names: readonly unknown[] = Array.isArray(prefixes) ? prefixes : []
  return names.flatMap((name) => {
    if (name === 'decentralized_identifier') return ['did']
    // It came later.
    return typeof name === 'string' && name !== 'x509_hash' ? [name] : []
  })
}
