import type { TestService } from '../support/service.js'

/** The environment of a running service, for a command that runs at the same time. */
export function environmentOf(
  { config, databaseUrl }: TestService,
  more: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  return {
    ISSUER_BASE_URL: config.issuerBaseUrl,
    VERIFIER_BASE_URL: config.verifierBaseUrl,
    DATABASE_URL: databaseUrl,
    OIDC_JWKS_URL: config.oidc.jwksUrl,
    ALLOW_INSECURE_HTTP: String(config.allowInsecureHttp),
    ...more,
  }
}
