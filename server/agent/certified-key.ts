import { KeyObject, type X509Certificate } from 'node:crypto'
import { type Config, ConfigurationError } from '../config/config.js'
import type { KeyAndChain, NamedKey } from '../config/rules.js'
import { certifies } from '../protocol/issuer-keys/x5c-issuer.js'
import { algorithmOfJwk } from '../protocol/jose/algorithms.js'
import { type Jwk, publicJwkOf } from '../protocol/jose/jws.js'
import {
  authorityChain,
  type ChainRules,
  certifiedChain,
  ISSUER_CHAIN,
  REQUEST_CHAIN,
  type Refusal,
} from './certified-chain.js'

/**
 * The key of ISSUER_X509, VERIFIER_X509 or WALLET_PROVIDER_X509, and the chain for `x5c`: leaf first, without the root, each
 * certificate as base64 DER.
 */
export interface CertifiedKey {
  readonly alg: string
  /** The private key; or the key provider with the key, and the name of the key there. */
  readonly place: { readonly privateJwk: Jwk } | NamedKey
  readonly publicJwk: Jwk
  readonly x5c: readonly string[]
}

const ALGORITHMS: ReadonlySet<string> = new Set(['ES256', 'ES384', 'EdDSA'])

/** The rules for a file with a key and certificates. */
interface Rules extends ChainRules {
  readonly variable: string
  readonly file: KeyAndChain | undefined
  readonly checkKey: (alg: string) => string | undefined
  readonly checkName: (leaf: X509Certificate) => string | undefined
  /** Whether the key signs certificates of document signers, and no documents. */
  readonly delegated?: boolean
}

type Settings = Pick<
  Config,
  | 'issuerX509'
  | 'issuerBaseUrl'
  | 'issuerProfile'
  | 'issuerSigning'
  | 'verifierX509'
  | 'verifierProfile'
  | 'walletProviderX509'
>

/** Why a certificate cannot name the issuer (SD-JWT VC, "Issuer Verification Key Discovery and Validation"). */
export const nameFault = (leaf: X509Certificate, issuerBaseUrl: string): string | undefined =>
  certifies(leaf, issuerBaseUrl)
    ? undefined
    : 'must begin with a certificate for the host (dNSName) or the URL (URI) of ISSUER_BASE_URL'

const RULES = {
  // HAIP 1.0 §6.1.1, SD-JWT VC, "Issuer Signature Mechanisms"
  issuer: ({ issuerX509, issuerBaseUrl, issuerProfile, issuerSigning }: Settings): Rules => {
    const delegated = issuerSigning === 'delegated'
    return {
      variable: 'ISSUER_X509',
      file: issuerX509,
      ...ISSUER_CHAIN,
      authorityHint: ' unless ISSUER_SIGNING is delegated',
      delegated,
      // Document signers have P-256 keys and name ISSUER_BASE_URL, whatever the certificate of the authority has.
      checkKey: (alg) =>
        issuerProfile === 'haip' && alg !== 'ES256' && !delegated
          ? 'must hold a P-256 key if ISSUER_PROFILE is haip'
          : undefined,
      checkName: (leaf) => (delegated ? undefined : nameFault(leaf, issuerBaseUrl)),
    }
  },
  // OpenID4VP 1.0 §5.9.3: `x509_hash` needs no name, and a request uses `x509_san_dns` only if the request names this
  // prefix.
  verifier: ({ verifierX509, verifierProfile }: Settings): Rules => ({
    variable: 'VERIFIER_X509',
    file: verifierX509,
    ...REQUEST_CHAIN,
    // HAIP 1.0 §7: wallets need to support only ES256.
    checkKey: (alg) =>
      verifierProfile === 'haip' && alg !== 'ES256' ? 'must hold a P-256 key if VERIFIER_PROFILE is haip' : undefined,
    checkName: () => undefined,
  }),
  // HAIP 1.0 §4.4.1, §4.5.1: issuers identify the wallet provider by the trust anchors that they have configured for
  // wallets.
  walletProvider: ({ walletProviderX509 }: Settings): Rules => ({
    variable: 'WALLET_PROVIDER_X509',
    file: walletProviderX509,
    purpose: 'credential',
    uses: 'signing documents',
    checkKey: () => undefined,
    checkName: () => undefined,
  }),
} as const

const refusalOf =
  (variable: string): Refusal =>
  (reason) =>
    new ConfigurationError(`Invalid environment variables:\n- ${variable} ${reason}.`)

/** The private or public key as a JWK; undefined if the key's curve has no JWK form. */
function jwkOf(key: KeyObject): Jwk | undefined {
  try {
    return key.export({ format: 'jwk' })
  } catch {
    return undefined
  }
}

function keyOf(
  { key, chain }: KeyAndChain,
  { checkKey }: Rules,
  refusal: Refusal,
): Pick<CertifiedKey, 'alg' | 'place' | 'publicJwk'> {
  const [leaf] = chain
  if (leaf === undefined) throw refusal('must hold a certificate')
  const isHere = key instanceof KeyObject
  if (isHere && !leaf.checkPrivateKey(key)) throw refusal('must hold the key of its first certificate')
  const jwk = jwkOf(isHere ? key : leaf.publicKey)
  const alg = jwk === undefined ? undefined : algorithmOfJwk(jwk)
  if (jwk === undefined || alg === undefined || !ALGORITHMS.has(alg)) {
    throw refusal('must hold a P-256, P-384 or Ed25519 key')
  }
  const problem = checkKey(alg)
  if (problem !== undefined) throw refusal(problem)
  return { alg, place: isHere ? { privateJwk: jwk } : key, publicJwk: publicJwkOf(jwk) }
}

/**
 * Reads ISSUER_X509, VERIFIER_X509 or WALLET_PROVIDER_X509; undefined if the variable is not set.
 *
 * @throws {ConfigurationError} if key and certificates do not belong together, do not belong to the owner, or are not
 * valid now.
 */
export function certifiedKey(owner: keyof typeof RULES, settings: Settings, now: Date): CertifiedKey | undefined {
  const rules = RULES[owner](settings)
  if (rules.file === undefined) return undefined
  const refusal = refusalOf(rules.variable)
  const { chain } = rules.file
  const key = keyOf(rules.file, rules, refusal)
  const checked = rules.delegated === true ? authorityChain : certifiedChain
  const x5c = checked(chain, rules, refusal, now)
  const [leaf] = chain
  const problem = leaf === undefined ? undefined : rules.checkName(leaf)
  if (problem !== undefined) throw refusal(problem)
  return { ...key, x5c }
}
