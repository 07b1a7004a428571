import type { JwtSigner } from '@openid4vc/oauth2'
import type { CredentialConfigurationSupported } from '@openid4vc/openid4vci'
import type { CredentialFormat } from '../../formats/format.js'
import { libraryJwk } from '../exchange/libraries.js'
import { WalletError } from '../exchange/wallet-error.js'
import { newCopyKey, type WalletKey } from './wallet-keys.js'

/** A key, and the form in which a key proof names the key (OpenID4VCI 1.0 Appendix F.1: `kid` or `jwk`). */
export interface ProofKey {
  readonly key: WalletKey
  readonly signer: JwtSigner
}

/**
 * OpenID4VCI 1.0 §12.2.4: a method such as `did:web` means all DIDs of this method; `did` means any DID. Without
 * methods, any DID is allowed.
 */
function supportsDid(methods: readonly string[] | undefined, did: string): boolean {
  return methods?.some((method) => method === 'did' || did.startsWith(`${method}:`)) ?? true
}

const byDid = (key: WalletKey): ProofKey => ({
  key,
  signer: { method: 'did', didUrl: key.signer.kid, alg: key.signer.alg },
})

const byJwk = (key: WalletKey): ProofKey => ({
  key,
  signer: { method: 'jwk', publicJwk: libraryJwk(key.signer.publicJwk), alg: key.signer.alg },
})

/** Binding methods in which the credential itself holds the key. */
const BARE_KEYS: ReadonlySet<string> = new Set(['jwk', 'cose_key'])

function proofKeyOf(methods: readonly string[] | undefined, keys: readonly WalletKey[]): ProofKey | undefined {
  const named = keys.find(({ did }) => supportsDid(methods, did))
  if (named !== undefined) return byDid(named)
  const [first] = keys
  return first !== undefined && methods?.some((method) => BARE_KEYS.has(method)) === true ? byJwk(first) : undefined
}

/** Whether a configuration names no method to bind its credentials to a key (§12.2.4). A mobile document always has a key. */
export const namesNoBinding = (
  { cryptographic_binding_methods_supported: methods }: CredentialConfigurationSupported,
  { holding }: CredentialFormat,
): boolean => !holding.alwaysBound && methods === undefined

/** Whether an issuer of OpenID4VCI 1.0 takes no proofs for a configuration: it names neither binding methods nor proof types. */
export const takesNoProofs = (configuration: CredentialConfigurationSupported, format: CredentialFormat): boolean =>
  namesNoBinding(configuration, format) && configuration.proof_types_supported === undefined

/**
 * The keys to bind a configuration's credentials to: the holder's first key whose DID the issuer can use, and a new key for each
 * further copy.
 *
 * @throws WalletError if the issuer can bind to none of the holder's DIDs.
 */
export async function proofKeys(
  configuration: CredentialConfigurationSupported,
  keys: readonly WalletKey[],
  copies: number,
): Promise<ProofKey[]> {
  const methods = configuration.cryptographic_binding_methods_supported
  const first = proofKeyOf(methods, keys)
  if (first === undefined) throw new WalletError("The issuer binds the credential to none of the holder's DIDs.")
  const further = await Promise.all(Array.from({ length: copies - 1 }, newCopyKey))
  return [first, ...further.flatMap((key) => proofKeyOf(methods, [key]) ?? [])]
}
