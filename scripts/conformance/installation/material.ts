import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Certified, makeCertificate, publicPem, readCertificate } from '../../certificates.js'

/** The standards that issuing follows: OpenID4VCI 1.0, or OpenID4VCI 1.0 with HAIP 1.0. */
export type Profile = 'final' | 'haip'

/** Keys and certificates of a run. The service and the suite have different roots. */
export interface Material {
  readonly directory: string
  /** The root of the service's signing certificates and of its TLS certificate. */
  readonly serviceRoot: Certified
  /** The root of the suite's signing certificates: for credentials, requests, and attestations of wallets and keys. */
  readonly suiteRoot: Certified
  /** Private key and certificate of the service's TLS, as PEM. */
  readonly tlsPem: string
}

async function rootAt(file: string, name: string): Promise<Certified> {
  if (existsSync(file)) return readCertificate(readFileSync(file, 'utf8'))
  const root = await makeCertificate({ name })
  writeFileSync(file, root.pem, { mode: 0o600 })
  return root
}

async function leafAt(file: string, name: string, issuer: Certified, host: string): Promise<string> {
  if (!existsSync(file)) {
    const { pem } = await makeCertificate({ name, issuer, dns: [host] })
    writeFileSync(file, pem, { mode: 0o600 })
  }
  return readFileSync(file, 'utf8')
}

/**
 * Reads the material from a directory, and makes missing parts. The material stays in the directory, so that a service
 * that keeps running can be used for further runs.
 *
 * @param host the host name by which the suite and browsers reach the service
 */
export async function materialIn(directory: string, host: string): Promise<Material> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const file = (name: string) => join(directory, `${name}.pem`)
  const serviceRoot = await rootAt(file('service-root'), 'Conformance, root of the service')
  const suiteRoot = await rootAt(file('suite-root'), 'Conformance, root of the suite')
  for (const name of ['issuer', 'verifier', 'wallet-provider']) {
    await leafAt(file(name), `Conformance, ${name}`, serviceRoot, host)
  }
  const tlsPem = await leafAt(file('tls'), host, serviceRoot, host)
  writeFileSync(file('service-authority'), publicPem(serviceRoot))
  writeFileSync(file('suite-authority'), publicPem(suiteRoot))
  writeFileSync(file('authorities'), `${publicPem(serviceRoot)}${publicPem(suiteRoot)}`)
  return { directory, serviceRoot, suiteRoot, tlsPem }
}

/**
 * Returns the settings that docs/conformance.md names, for a service that answers at `url`.
 *
 * @param outbound host and port of the suite, which may have a private address
 */
export function settingsOf(
  { directory }: Material,
  profile: Profile,
  url: string,
  outbound: string,
): Record<string, string> {
  const file = (name: string) => join(directory, `${name}.pem`)
  return {
    ISSUER_BASE_URL: url,
    VERIFIER_BASE_URL: url,
    ISSUER_PROFILE: profile,
    ISSUER_X509: file('issuer'),
    VERIFIER_X509: file('verifier'),
    WALLET_PROVIDER_X509: file('wallet-provider'),
    WALLET_TRUST_ANCHORS: file('suite-authority'),
    VERIFIER_TRUST_ANCHORS: file('suite-authority'),
    TRUST_ANCHORS: file('authorities'),
    TRUSTED_ISSUERS: 'self,x5c',
    OUTBOUND_ALLOWED_HOSTS: `${outbound},${new URL(url).host}`,
    AUTH_DISABLED: 'true',
    RATE_LIMIT_MAX: '0',
    TRUST_PROXY: 'loopback',
  }
}
