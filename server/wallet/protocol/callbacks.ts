import { createHash } from 'node:crypto'
import type { CallbackContext, JweEncryptor, JwtSigner } from '@openid4vc/oauth2'
import { CompactEncrypt, importJWK } from 'jose'
import type { Deps } from '../../deps.js'
import { isSameKey, type Signer, signCompact } from '../../protocol/jose/jws.js'
import { schemeNormalizing } from './challenge-schemes.js'
import { type ClientOptions, clientAuthentication } from './client-authentication.js'
import { libraryJwk, ownJwk } from './library-jwk.js'
import { WalletError } from './wallet-error.js'

export interface CallbackOptions {
  readonly fetch: typeof globalThis.fetch
  /** The keys that the exchange may sign with. */
  readonly signers: readonly Signer[]
}

/** Of an exchange with an issuer, in which the wallet authenticates itself too. */
export type IssuanceOptions = CallbackOptions & ClientOptions

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

/** OpenID4VP 1.0 §8.3: to the verifier's key, whose `kid` is echoed. */
async function encryptJwe({ publicJwk, alg, enc, apu, apv }: JweEncryptor, data: string) {
  const key = await importJWK(ownJwk(publicJwk), alg)
  const jwe = await new CompactEncrypt(new TextEncoder().encode(data))
    .setProtectedHeader({ alg, enc, ...(publicJwk.kid === undefined ? {} : { kid: publicJwk.kid }) })
    .setKeyManagementParameters({
      ...(apu === undefined ? {} : { apu: new Uint8Array(Buffer.from(apu, 'base64url')) }),
      ...(apv === undefined ? {} : { apv: new Uint8Array(Buffer.from(apv, 'base64url')) }),
    })
    .encrypt(key)
  return { encryptionJwk: publicJwk, jwe }
}

export type IssuanceCallbacks = Omit<CallbackContext, 'verifyJwt' | 'decryptJwe' | 'encryptJwe'>

/**
 * What the issuance library does through us. Without `verifyJwt` it ignores signed metadata, for whose signers
 * there is no trust anchor.
 */
export function issuanceCallbacks(deps: Deps, options: IssuanceOptions): IssuanceCallbacks {
  return {
    fetch: schemeNormalizing(options.fetch),
    hash,
    generateRandom: deps.random,
    signJwt: signJwt(options.signers),
    clientAuthentication: clientAuthentication(deps, options),
  }
}

type PresentationCallbacks = Pick<CallbackContext, 'encryptJwe' | 'signJwt'> & {
  readonly fetch: typeof globalThis.fetch
}

/** What the presentation library does through us: it makes and sends answers, which are encrypted and never signed. */
export const presentationCallbacks = (fetch: typeof globalThis.fetch): PresentationCallbacks => ({
  fetch,
  signJwt: signJwt([]),
  encryptJwe,
})
