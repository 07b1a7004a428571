import type { Config } from '../../config/config.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { zAuthorizationDetails } from '../../protocol/openid4vci/requests.js'

/** What a wallet asks for of an offer. Each list counts for itself (OpenID4VCI 1.0 §5.1.2); both empty: everything. */
export interface RequestedConfigurations {
  /** Ids that `authorization_details` name: the answer gives identifiers for them. */
  readonly detailed: readonly string[]
  /** Ids that `scope` names. */
  readonly scoped: readonly string[]
}

/** Ids that may be taken: those that were asked for, or all that are offered. */
export function takeable({ detailed, scoped }: RequestedConfigurations, offered: readonly string[]): readonly string[] {
  return detailed.length === 0 && scoped.length === 0 ? offered : [...new Set([...detailed, ...scoped])]
}

/** RFC 6749 §3.3: names parted by spaces, each a configuration id here. What is not offered is ignored. */
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

/** §5.1.1, §6.1.1. */
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
 * @param offered ids that may be asked for
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

/** §6.2: one credential dataset for each configuration, whose identifier is the configuration's. */
const authorizationDetail = (id: string) => ({
  type: 'openid_credential',
  credential_configuration_id: id,
  credential_identifiers: [id],
})

/** What a token response says of them: `authorization_details` (§6.2) and `scope` (RFC 6749 §5.1), where asked for. */
export const grantedMembers = ({ detailed, scoped }: RequestedConfigurations) => ({
  ...(scoped.length === 0 ? {} : { scope: scoped.join(' ') }),
  ...(detailed.length === 0 ? {} : { authorization_details: detailed.map(authorizationDetail) }),
})
