import { certificateWarnings } from '../agent/certificate-watch.js'
import { type Config, encrypts } from '../config/config.js'

/** Warnings for the operator at each start. A warning does not prevent the start. */
export function startupWarnings(config: Config, now = new Date()): string[] {
  const warnings: string[] = []
  if (config.authDisabled) warnings.push('AUTH_DISABLED is true: every caller is an admin. For local development only.')
  if (config.allowInsecureHttp)
    warnings.push('ALLOW_INSECURE_HTTP is true: plain HTTP is accepted. For local development only.')
  if (!encrypts(config)) {
    warnings.push(
      'KEY_ENCRYPTION_KEY is not set: PRIVATE KEYS ARE STORED IN THE CLEAR. Set it to 32 random bytes in base64url.',
    )
  }
  if (config.trustProxy === true) {
    warnings.push(
      'TRUST_PROXY is true: clients can pretend to have any address. Name the proxies, or the number of hops.',
    )
  }
  if (config.clientSecrets.length === 0 && !config.authDisabled) {
    warnings.push('CLIENT_SECRET is not set: routes that need x-client-secret answer 401.')
  }
  if (config.signIn === undefined && !config.authDisabled) {
    warnings.push(
      'OIDC_CLIENT_ID is not set: no user can sign in. Any holder of an offer with an authorization code may take it. Offers for one user cannot be made.',
    )
  }
  if (config.production && !config.authDisabled) warnings.push(...uncheckedTokenClaims(config))
  warnings.push(...certificateWarnings(config, now).map(({ text }) => text))
  for (const [name, value] of [
    ['ISSUER_BASE_URL', config.issuerBaseUrl],
    ['VERIFIER_BASE_URL', config.verifierBaseUrl],
  ] as const) {
    const { pathname, origin } = new URL(value)
    if (pathname !== '/') {
      const documents = name === 'ISSUER_BASE_URL' ? issuerRootDocuments(pathname) : []
      warnings.push(
        [
          `${name} has the path ${pathname}: the proxy must strip it`,
          ...documents.map((path) => `and pass on ${origin}${path}`),
        ].join(', '),
      )
    }
  }
  return warnings
}

/** Warns about settings with which this service accepts tokens that were issued for other services. */
function uncheckedTokenClaims({ oidc }: Config): string[] {
  const warnings: string[] = []
  if (oidc.issuer === undefined) {
    warnings.push(
      'OIDC_ISSUER is not set: access tokens of every issuer that signs with the keys of OIDC_JWKS_URL are accepted.',
    )
  }
  if (oidc.audience === undefined) {
    warnings.push('OIDC_AUDIENCE is not set: access tokens that were made for other services are accepted.')
  }
  return warnings
}

/** The documents that must be at the root of the host by their standards, even if the issuer identifier has a path. */
function issuerRootDocuments(pathname: string): string[] {
  return ['openid-credential-issuer', 'oauth-authorization-server', 'jwt-vc-issuer']
    .map((name) => `/.well-known/${name}${pathname}`)
    .concat('/.well-known/did-configuration', '/.well-known/did-configuration.json')
}
