import { isObject, type JsonObject } from '../../../protocol/json/json-object.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import { draft15 } from './draft15.js'
import { final } from './final.js'
import { isNamedBy } from './named-type.js'
import type { OfferedType, OfferedTypes, Parameters, Profile } from './profile.js'
import type { SentCredentialRequest } from './sent-credential-request.js'
import { singleCredential } from './single-proof.js'

/**
 * §7.2: a request without an identifier names a credential by `format` and the members of its type. This function
 * replaces these members by the id of the matching configuration.
 *
 * @throws OAuthError `unsupported_credential_format`, `unsupported_credential_type`
 */
function withConfigurationId(
  { format, vct, credential_definition, types: named, ...request }: SentCredentialRequest,
  typesOf: OfferedTypes,
): SentCredentialRequest {
  const { credential_identifier: identifier, ...rest } = request
  if (rest.credential_configuration_id !== undefined) return request
  const types = typesOf()
  // Identifiers equal configuration ids. The library that `isNamedBy` describes sends identifiers even if the token
  // response contained none.
  if (types.some(({ id }) => id === identifier)) return { ...rest, credential_configuration_id: identifier }
  if (format === undefined || identifier !== undefined) return request
  const ofFormat = types.filter((type) => type.format === format)
  if (ofFormat.length === 0)
    throw new OAuthError('unsupported_credential_format', 'No credential of this offer has this format.')
  const asked = ofFormat.find((type) => isNamedBy(type, { vct, credential_definition, types: named }))
  if (asked === undefined)
    throw new OAuthError('unsupported_credential_type', 'No credential of this offer has this type.')
  return { ...request, credential_configuration_id: asked.id }
}

/**
 * §5.1.1: replaces `format` in one element of authorization_details by a configuration id. An element that names no offered
 * type stays unchanged and is refused later.
 */
function namedDetail(detail: unknown, types: readonly OfferedType[]): unknown {
  if (!isObject(detail) || detail.format === undefined || detail.credential_configuration_id !== undefined)
    return detail
  const { format, vct, credential_definition, types: _, ...rest } = detail
  const asked = types.find((type) => type.format === format && isNamedBy(type, detail))
  return asked === undefined ? detail : { ...rest, credential_configuration_id: asked.id }
}

function parsedList(text: string): readonly unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function withNamedDetails(sent: Parameters, typesOf: OfferedTypes): Parameters {
  const { authorization_details: text } = sent
  const details = text === undefined ? undefined : parsedList(text)
  if (details === undefined) return sent
  const types = typesOf()
  return { ...sent, authorization_details: JSON.stringify(details.map((detail) => namedDetail(detail, types))) }
}

/**
 * §7.3: one credential for one proof. Wallets of the version between draft 13 and draft 15 send several proofs and expect
 * several credentials.
 */
function responseTo(response: JsonObject, sent: SentCredentialRequest): JsonObject {
  const { credentials, ...rest } = response
  const single = singleCredential(response, sent)
  return single.credential === undefined ? response : { ...single, ...rest }
}

/** OpenID4VCI draft 13 (February 2024): answers with tokens, credentials and refused proofs contain a nonce. */
export const draft13: Profile = {
  ...final,
  parameters: withNamedDetails,
  // §6.2
  tokenResponse: (response, nonce) => ({ ...response, ...nonce() }),
  credentialRequest: (sent, types) => final.credentialRequest(withConfigurationId(sent, types), types),
  // §7.3
  credentialResponse: (response, sent, nonce) => ({ ...responseTo(response, sent), ...nonce() }),
  // §7.3.2: an invalid nonce makes the proof invalid, and the answer contains the next nonce.
  refusal: (refusal, nonce) => {
    const isOfProof = refusal.error === 'invalid_proof' || refusal.error === 'invalid_nonce'
    return isOfProof ? refusal.as('invalid_proof', nonce()) : draft15.refusal(refusal, nonce)
  },
}
