import { errors } from '../../../api/errors.js'
import { validationMessages } from '../../../api/validation.js'
import type { Deps } from '../../../deps.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import { type CredentialRequest, zCredentialRequest } from '../../../protocol/openid4vci/requests.js'
import { offeredConfigurations } from '../offer.js'
import { takeable } from '../requested-configurations.js'
import type { TokenContext } from '../tokens/store.js'
import { nonceMembers } from './nonce-members.js'
import { offeredTypes } from './offered-types.js'
import { dialectOf } from './profiles.js'
import type { SentCredentialRequest } from './sent-credential-request.js'

function credentialRequestOf(members: JsonObject): CredentialRequest {
  const parsed = zCredentialRequest.safeParse(members)
  if (parsed.success) return parsed.data
  throw errors.invalid(validationMessages(parsed.error))
}

/**
 * Answers a credential request in the words of the offer's profile, by what answers those of 1.0.
 *
 * @throws OAuthError or ServiceError (400) for what is no request, and whatever `issue` throws.
 */
export async function inDialect(
  deps: Pick<Deps, 'config' | 'formats' | 'seals'>,
  token: TokenContext,
  sent: SentCredentialRequest,
  issue: (request: CredentialRequest) => Promise<JsonObject>,
): Promise<JsonObject> {
  const dialect = dialectOf(token.profile)
  const nonce = nonceMembers(deps)
  const types = offeredTypes(deps, takeable(token, offeredConfigurations(deps, token)))
  try {
    const response = await issue(credentialRequestOf(dialect.credentialRequest(sent, types)))
    return dialect.credentialResponse(response, sent, nonce)
  } catch (thrown) {
    throw thrown instanceof OAuthError ? dialect.refusal(thrown, nonce) : thrown
  }
}
