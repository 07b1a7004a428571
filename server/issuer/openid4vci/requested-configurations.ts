import type { Config } from '../../config/config.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { zAuthorizationDetails } from '../../protocol/openid4vci/requests.js'

/**
 * The configurations that a wallet requests from an offer. The request is for the configurations in both lists
 * (OpenID4VCI 1.0 §5.1.2). If both are empty, the wallet requests everything.
 */
export interface RequestedConfigurations {
  /** Ids that `authorization_details` name. The answer contains identifiers for these configurations. */
  readonly detailed: readonly string[]
  /** Ids that `scope` names. */
  readonly scoped: readonly string[]
}

/** Ids that may be taken: the requested ids, or all offered ids if none were requested. */
export function takeable({ detailed, scoped }: RequestedConfigurations, offered: readonly string[]): readonly string[] {
  return detailed.length === 0 && scoped.length === 0 ? offered : [...new Set([...detailed, ...scoped])]
}

/** RFC 6749 §3.3: names separated by spaces. Each name is a configuration id. Ids that are not offered are ignored. */
function scopedConfigurations(scope: string | undefined, offered: readonly string[]): readonly string[] {
  const asked = new Set((scope ?? '').split(' '))
  return offered.filter((id) => asked.has(id))
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The configuration ids that `authorization_details` name (§5.1.1, §6.1.1). */
function detailedConfigurations(
  details: string | undefined,
  offered: readonly string[],
  config: Pick<Config, 'issuerBaseUrl'>,
): readonly string[] {
  if (details === undefined) return []
  // RFC 9396 §5.
  const refusal = (description: string) => new OAuthError('invalid_authorization_details', description)
  const parsed = zAuthorizationDetails.safeParse(parsedJson(details))
  if (!parsed.success) throw refusal('authorization_details must be a JSON array of openid_credential objects.')
  for (const { credential_configuration_id: id, locations } of parsed.data) {
    if (!offered.includes(id)) throw refusal(`authorization_details name ${id}, which is not offered.`)
    if (locations?.includes(config.issuerBaseUrl) === false)
      throw refusal('The locations of authorization_details must hold the credential issuer identifier.')
  }
  return [...new Set(parsed.data.map((detail) => detail.credential_configuration_id))]
}

/**
 * Reads `scope` and `authorization_details` of a request.
 *
 * @param offered the ids that may be requested
 * @throws OAuthError `invalid_authorization_details`
 */
export function requestedConfigurations(
  { scope, authorization_details: details }: Readonly<Record<string, string | undefined>>,
  offered: readonly string[],
  config: Pick<Config, 'issuerBaseUrl'>,
): RequestedConfigurations {
  return {
    detailed: detailedConfigurations(details, offered, config),
    scoped: scopedConfigurations(scope, offered),
  }
}

/** §6.2: one credential dataset for each configuration. Its identifier is the configuration's id. */
const authorizationDetail = (id: string) => ({
  type: 'openid_credential',
  credential_configuration_id: id,
  credential_identifiers: [id],
})

/**
 * The members of a token response for the granted configurations: `authorization_details` (§6.2) and `scope` (RFC 6749 §5.1),
 * if requested.
 */
export const grantedMembers = ({ detailed, scoped }: RequestedConfigurations) => ({
  ...(scoped.length === 0 ? {} : { scope: scoped.join(' ') }),
  ...(detailed.length === 0 ? {} : { authorization_details: detailed.map(authorizationDetail) }),
})
