import { compactVerify, importJWK, type JWK } from 'jose'
import type { Fetch } from '../../../client/request.js'

interface VerificationMethod {
  readonly id: string
  readonly publicKeyJwk?: JWK
}

/** The address of a did:web's document (did:web method specification, "Read"). */
function documentAddress(did: string): string {
  const [host = '', ...path] = did.slice('did:web:'.length).split(':').map(decodeURIComponent)
  return `https://${host}/${path.length === 0 ? '.well-known' : path.join('/')}/did.json`
}

async function keyOf(fetch: Fetch, didUrl: string): Promise<JWK> {
  const [did = ''] = didUrl.split('#')
  if (did.startsWith('did:jwk:')) return JSON.parse(Buffer.from(did.slice('did:jwk:'.length), 'base64url').toString())
  if (!did.startsWith('did:web:')) throw new Error(`The wallet does not know the DID method of ${did}.`)
  const response = await fetch(documentAddress(did), {})
  const { verificationMethod } = (await response.json()) as { verificationMethod: readonly VerificationMethod[] }
  const key = verificationMethod.find(({ id }) => id === didUrl || `${did}${id}` === didUrl)?.publicKeyJwk
  if (key === undefined) throw new Error(`${did} has no key ${didUrl}.`)
  return key
}

/** Verifies the verifier's signature with the key that its DID names (OpenID4VP 1.0 §5.9.3). */
export async function verifySignature(fetch: Fetch, didUrl: string, compact: string) {
  const jwk = await keyOf(fetch, didUrl)
  await compactVerify(compact, await importJWK(jwk, 'ES256'))
  return { verified: true as const, signerJwk: { ...jwk, kty: String(jwk.kty) } }
}
