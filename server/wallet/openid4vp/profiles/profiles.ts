import { type JsonObject, objectOf } from '../../../protocol/json/json-object.js'
import { isOfDraft } from './client-metadata.js'
import { draft21 } from './draft21.js'
import { draft24 } from './draft24.js'
import { final } from './final.js'
import type { Profile, ProfileName } from './profile.js'

const PROFILES: Readonly<Record<ProfileName, Profile>> = { final, draft24, draft21 }

/** The profile of a request. Requests that an earlier version stored in a flow name no profile. */
export const profileNamed = (name: ProfileName | undefined): Profile => PROFILES[name ?? 'final']

/** Parameters of Presentation Exchange. OpenID4VP 1.0 no longer has these parameters. */
const EXCHANGE = ['presentation_definition', 'presentation_definition_uri']

/** Prefixes of client identifiers that came after draft 24. */
const LATER_PREFIX = /^(?:decentralized_identifier|x509_hash|openid_federation):/

/**
 * Finds the profile of a request from its parameters, or from the parameters of its address. The profile is OpenID4VP 1.0 unless
 * 1.0 would not understand the request. If a request has members of 1.0 and of a draft, the members of 1.0 count.
 */
export function profileOf(parameters: JsonObject): Profile {
  const { client_id: clientId, client_metadata: metadata, dcql_query: dcql } = parameters
  if (dcql === undefined) {
    if (parameters.client_id_scheme !== undefined) return draft21
    if (EXCHANGE.some((name) => parameters[name] !== undefined)) return draft24
  }
  if (typeof clientId === 'string' && clientId.startsWith('did:')) return draft24
  const isLater = typeof clientId === 'string' && LATER_PREFIX.test(clientId)
  return !isLater && isOfDraft(objectOf(metadata)) ? draft24 : final
}
