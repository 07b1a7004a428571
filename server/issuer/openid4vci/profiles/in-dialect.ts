import { errors } from '../../../errors.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'
import { type CredentialRequest, zCredentialRequest } from '../../../protocol/openid4vci/requests.js'
import { validationMessages } from '../../../validation.js'
import { final } from './final.js'
import type { SentCredentialRequest } from './sent-credential-request.js'

function credentialRequestOf(members: JsonObject): CredentialRequest {
  const parsed = zCredentialRequest.safeParse(members)
  if (parsed.success) return parsed.data
  throw errors.invalid(validationMessages(parsed.error))
}

/**
 * Answers a credential request, whichever version of OpenID4VCI it is of, by what answers those of 1.0.
 *
 * @throws OAuthError or ServiceError (400) for what is no request, and whatever `issue` throws.
 */
export async function inDialect(
  sent: SentCredentialRequest,
  issue: (request: CredentialRequest) => Promise<JsonObject>,
): Promise<JsonObject> {
  const dialect = final
  const response = await issue(credentialRequestOf(dialect.credentialRequest(sent)))
  return dialect.credentialResponse(response, sent)
}
