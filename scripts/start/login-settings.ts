import type { Environment } from './environment.js'
import { discoveryAddress, type FoundKeys } from './identity-provider.js'

/** The variables that `npm start` fills in for an installation with an identity provider, outside production. */
export function loginSettings(
  isSet: (name: string) => boolean,
  url: string,
  keys: FoundKeys | undefined,
): Record<string, string> {
  const hasBaseUrl = isSet('ISSUER_BASE_URL') || isSet('VERIFIER_BASE_URL')
  return {
    ...(!hasBaseUrl && { ISSUER_BASE_URL: url, VERIFIER_BASE_URL: url, ALLOW_INSECURE_HTTP: 'true' }),
    ...(keys !== undefined && 'jwksUrl' in keys && { OIDC_JWKS_URL: keys.jwksUrl }),
  }
}

/** The missing variables of a configured installation, each with the next step. */
function missingSteps(
  lacks: (name: string) => boolean,
  environment: Environment,
  keys: FoundKeys | undefined,
  url: string,
) {
  const issuer = environment.OIDC_ISSUER || 'the address of the identity provider'
  const needsKeys = lacks('OIDC_JWKS_URL') && environment.AUTH_DISABLED !== 'true'
  const hasClient = !lacks('OIDC_CLIENT_ID') || !lacks('OIDC_CLIENT_SECRET')
  return [
    ...['ISSUER_BASE_URL', 'VERIFIER_BASE_URL']
      .filter(lacks)
      .map((name) => `${name}: set the https address of the service, or ${url} with ALLOW_INSECURE_HTTP=true.`),
    ...(hasClient && lacks('OIDC_ISSUER') ? ['OIDC_ISSUER: set the address of the identity provider.'] : []),
    ...(!lacks('OIDC_CLIENT_SECRET') && lacks('OIDC_CLIENT_ID')
      ? ['OIDC_CLIENT_ID: set the id of this service at the identity provider.']
      : []),
    ...(keys !== undefined && 'problem' in keys ? [keys.problem] : []),
    ...(needsKeys && keys === undefined ? [`OIDC_JWKS_URL: set the jwks_uri of ${discoveryAddress(issuer)}.`] : []),
  ]
}

/** The base URL that a service will have; undefined if it is missing. */
const baseUrlOf = (environment: Environment, added: Readonly<Record<string, string>>): string =>
  (environment.ISSUER_BASE_URL || added.ISSUER_BASE_URL || '').replace(/\/$/, '')

/**
 * Makes the sentences for a configured installation. They name filled-in variables, missing variables, and addresses
 * to register at the identity provider.
 */
export function adviceFor(
  environment: Environment,
  configured: readonly string[],
  added: Readonly<Record<string, string>>,
  keys: FoundKeys | undefined,
  url: string,
): string[] {
  if (configured.length === 0) return []
  const lacks = (name: string) => (environment[name] ?? '') === '' && added[name] === undefined
  const filled = Object.entries(added).map(([name, value]) => `  ${name}=${value}`)
  const steps = missingSteps(lacks, environment, keys, url)
  const because = `because these are set: ${configured.join(', ')}`
  const baseUrl = baseUrlOf(environment, added)
  return [
    ...(filled.length > 0 ? [`npm start fills in only these settings, ${because}.`, ...filled] : []),
    ...(steps.length > 0 && filled.length === 0
      ? [`npm start fills in no settings, ${because}. The service still needs:`]
      : []),
    ...(steps.length > 0 && filled.length > 0 ? ['The service still needs:'] : []),
    ...steps,
    ...(steps.length > 0 || environment.AUTH_DISABLED === 'true'
      ? []
      : lacks('OIDC_CLIENT_ID')
        ? [
            'Nobody can sign in to the console yet. OIDC_CLIENT_ID: set the id of this service at the identity provider.',
          ]
        : [
            `Register these redirect URIs at the identity provider: ${baseUrl}/console/callback (also for the return after signing out) and ${baseUrl}/openid4vci/authorize/callback`,
          ]),
  ]
}
