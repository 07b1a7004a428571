import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import type { CallbackContext, JwtSigner, Jwk as LibraryJwk } from '@openid4vc/oauth2'
import { clientAuthenticationAnonymous } from '@openid4vc/oauth2'
import { setGlobalConfig } from '@openid4vc/openid4vci'
import { compactDecrypt, compactVerify, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { decodeDidKey } from '../../server/protocol/did/did-key.js'

// The tests' servers speak plain http on the loopback interface.
setGlobalConfig({ allowInsecureUrls: true })

/** A key of an independent party, and its did:jwk. */
export interface RemoteKey {
  readonly privateJwk: JWK
  readonly publicJwk: JWK
  readonly did: string
  readonly kid: string
}

export async function newRemoteKey(): Promise<RemoteKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const publicJwk = await exportJWK(publicKey)
  const did = `did:jwk:${Buffer.from(JSON.stringify(publicJwk)).toString('base64url')}`
  return { privateJwk: await exportJWK(privateKey), publicJwk, did, kid: `${did}#0` }
}

/** Signs a JWT with the key of an independent party. The header's `alg` is ES256. */
export async function signJwt(
  key: RemoteKey,
  header: Record<string, unknown>,
  payload: Record<string, unknown>,
): Promise<string> {
  return new SignJWT(payload)
    .setProtectedHeader({ ...header, alg: 'ES256' })
    .sign(await importJWK(key.privateJwk, 'ES256'))
}

async function didDocumentKey(didUrl: string): Promise<JWK> {
  const [did = ''] = didUrl.split('#', 1)
  if (did.startsWith('did:jwk:')) return JSON.parse(Buffer.from(did.slice(8), 'base64url').toString('utf8'))
  if (did.startsWith('did:key:')) return decodeDidKey(did)
  const [host = '', ...path] = did.slice('did:web:'.length).split(':')
  const response = await fetch(`http://${decodeURIComponent(host)}/${path.join('/')}/did.json`)
  const { verificationMethod } = (await response.json()) as { verificationMethod: { id: string; publicKeyJwk: JWK }[] }
  const found = verificationMethod.find(({ id }) => id === didUrl)
  if (found === undefined) throw new Error(`${didUrl} is not in its document`)
  return found.publicKeyJwk
}

/** Returns the public key of a signer, which is named by a DID URL, by the key itself, or by a certificate. */
export async function keyOfSigner(signer: JwtSigner): Promise<JWK> {
  if (signer.method === 'did') return didDocumentKey(signer.didUrl)
  if (signer.method === 'jwk') return signer.publicJwk as JWK
  if (signer.method === 'x5c') {
    const [leaf = ''] = signer.x5c
    return new X509Certificate(Buffer.from(leaf, 'base64')).publicKey.export({ format: 'jwk' }) as JWK
  }
  throw new Error(`No key for a signer of the kind ${signer.method}`)
}

const HASHES: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-384': 'sha384', 'sha-512': 'sha512' }

/** Makes the callbacks that the independent libraries need as issuer and as verifier. They use jose. */
export function remoteCallbacks(key: RemoteKey, decryptionKey?: JWK): CallbackContext {
  return {
    fetch,
    hash: (data, alg) =>
      new Uint8Array(
        createHash(HASHES[alg] ?? '')
          .update(data)
          .digest(),
      ),
    generateRandom: (length) => new Uint8Array(randomBytes(length)),
    signJwt: async (_signer, { header, payload }) => ({
      jwt: await signJwt(key, header, payload),
      signerJwk: key.publicJwk as LibraryJwk,
    }),
    verifyJwt: async (signer, { compact }) => {
      const jwk = await keyOfSigner(signer)
      try {
        await compactVerify(compact, await importJWK(jwk, signer.alg))
        return { verified: true, signerJwk: jwk as LibraryJwk }
      } catch {
        return { verified: false }
      }
    },
    decryptJwe: async (jwe) => {
      if (decryptionKey === undefined) return { decrypted: false }
      const { plaintext } = await compactDecrypt(jwe, await importJWK(decryptionKey, 'ECDH-ES'))
      return {
        decrypted: true,
        decryptionJwk: decryptionKey as LibraryJwk,
        payload: new TextDecoder().decode(plaintext),
      }
    },
    encryptJwe: () => {
      throw new Error('Nothing is encrypted on this side.')
    },
    clientAuthentication: clientAuthenticationAnonymous(),
  }
}
