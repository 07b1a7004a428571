import { createHash, randomBytes } from 'node:crypto'
import { type CallbackContext, clientAuthenticationAnonymous, type Jwk } from '@openid4vc/oauth2'
import { setGlobalConfig } from '@openid4vc/openid4vci'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Stage } from '../stage.js'

/** A wallet on a phone, with one key. It knows only the content of the service's QR codes. */
export interface Wallet {
  readonly owner: string
  /** did:jwk of the key. */
  readonly did: string
  /** DID URL of the key. */
  readonly kid: string
  /** Functions that the protocol libraries need from the wallet. */
  readonly callbacks: Pick<CallbackContext, 'fetch' | 'hash' | 'generateRandom' | 'signJwt' | 'clientAuthentication'>
  /** Signs with the wallet's key (ES256). */
  sign(header: Record<string, unknown>, payload: Record<string, unknown>): Promise<string>
}

const HASHES: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-384': 'sha384', 'sha-512': 'sha512' }

const signing =
  (privateKey: CryptoKey): Wallet['sign'] =>
  (header, payload) =>
    new SignJWT(payload).setProtectedHeader({ ...header, alg: 'ES256' }).sign(privateKey)

/**
 * Makes a new wallet. The libraries refuse plain HTTP by default. The wallet allows it if the service uses plain HTTP.
 */
export async function newWallet(stage: Stage, owner: string): Promise<Wallet> {
  if (stage.url.startsWith('http:')) setGlobalConfig({ allowInsecureUrls: true })
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const publicJwk: Jwk = { ...(await exportJWK(publicKey)), kty: 'EC' }
  const did = `did:jwk:${Buffer.from(JSON.stringify(publicJwk)).toString('base64url')}`
  const sign = signing(privateKey)
  return {
    owner,
    did,
    kid: `${did}#0`,
    sign,
    callbacks: {
      fetch: (input, init) => stage.fetch(String(input), init ?? {}),
      hash: (data, alg) =>
        createHash(HASHES[alg] ?? 'sha256')
          .update(data)
          .digest(),
      generateRandom: (length) => randomBytes(length),
      clientAuthentication: clientAuthenticationAnonymous(),
      signJwt: async (_signer, { header, payload }) => ({ jwt: await sign(header, payload), signerJwk: publicJwk }),
    },
  }
}
