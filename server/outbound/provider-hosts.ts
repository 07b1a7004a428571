import type { Config } from '../config/config.js'

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * Returns hosts and ports of the configured identity provider, from OIDC_ISSUER and OIDC_JWKS_URL. They may be private
 * without OUTBOUND_ALLOWED_HOSTS, because the operator has configured them. If the provider's metadata name a different
 * host or port, the address of that host must be public.
 */
export function providerHosts({ oidc, signIn }: Pick<Config, 'oidc' | 'signIn'>): string[] {
  return [signIn?.issuer, oidc.jwksUrl].flatMap((address) => {
    if (address === undefined || !URL.canParse(address)) return []
    const { protocol, hostname, port } = new URL(address)
    return [`${hostname}:${port === '' ? DEFAULT_PORTS[protocol] : port}`]
  })
}
