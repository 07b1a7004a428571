import { createHash } from 'node:crypto'
import type { CallbackContext, JwtSigner } from '@openid4vc/oauth2'
import { isSameKey, type Signer, signCompact } from '../../protocol/jose/jws.js'
import { libraryJwk, ownJwk } from '../exchange/libraries.js'
import { WalletError } from '../exchange/wallet-error.js'
import { schemeNormalizing } from './challenge-schemes.js'
import type { ClientOptions } from './wallet-client.js'

/** Inputs of the library for one exchange with an issuer. */
export interface IssuanceOptions extends ClientOptions {
  /** The keys that the exchange may sign with. */
  readonly signers: readonly Signer[]
}

const HASHES: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-384': 'sha384', 'sha-512': 'sha512' }

const hash: CallbackContext['hash'] = (data, alg) => {
  const algorithm = HASHES[alg]
  if (algorithm === undefined) throw new WalletError(`Hash algorithm ${alg} is not supported.`)
  return new Uint8Array(createHash(algorithm).update(data).digest())
}

function signerFor(signers: readonly Signer[], wanted: JwtSigner): Signer {
  const found = signers.find(({ kid, publicJwk }) => {
    if (wanted.method === 'did') return kid === wanted.didUrl
    return wanted.method === 'jwk' && isSameKey(publicJwk, ownJwk(wanted.publicJwk))
  })
  if (found === undefined) throw new WalletError('The wallet holds no key that the exchange asks for.')
  return found
}

const signJwt =
  (signers: readonly Signer[]): CallbackContext['signJwt'] =>
  async (wanted, { header, payload }) => {
    const signer = signerFor(signers, wanted)
    return { jwt: await signCompact(signer, header, payload), signerJwk: libraryJwk(signer.publicJwk) }
  }

export type IssuanceCallbacks = Omit<CallbackContext, 'verifyJwt' | 'decryptJwe' | 'encryptJwe'>

/**
 * Callbacks of the issuance library. Without `verifyJwt` the library ignores signed metadata. This service has no trust
 * anchor for signers of metadata.
 */
export function issuanceCallbacks(
  { fetch, signers }: IssuanceOptions,
  clientAuthentication: CallbackContext['clientAuthentication'],
  generateRandom: (length: number) => Uint8Array,
): IssuanceCallbacks {
  return { fetch: schemeNormalizing(fetch), hash, generateRandom, signJwt: signJwt(signers), clientAuthentication }
}
