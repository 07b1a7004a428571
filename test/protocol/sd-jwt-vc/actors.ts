import { createHash } from 'node:crypto'
import type { ResolveIssuerKey } from '../../../server/protocol/credential/verification.js'
import { createSigner, generateKeyPair, type Jwk, type Signer, signCompact } from '../../../server/protocol/jose/jws.js'
import type { JsonObject } from '../../../server/protocol/json/json-object.js'

export const NOW = new Date('2026-03-01T12:00:00Z')
export const NOW_SECONDS = 1_772_366_400
export const VCT = 'https://issuer.example/vct/ProofOfPurchase'

/** A time a number of seconds after NOW. */
export const later = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000)

/** Returns a source of salts and decoys. All values are different, and each run has the same values. */
export function countingBytes(): (length: number) => Uint8Array {
  let calls = 0
  return (length) => createHash('sha512').update(String(calls++)).digest().subarray(0, length)
}

export interface Actor {
  readonly id: string
  readonly signer: Signer
  readonly publicJwk: Jwk
  readonly resolveIssuerKey: ResolveIssuerKey
  /** Signs arbitrary content, like a forger with this key. */
  sign(header: JsonObject, payload: JsonObject): Promise<string>
}

/** A party with an ES256 key and an identifier. */
export async function actor(id: string): Promise<Actor> {
  const { privateJwk, publicJwk } = await generateKeyPair('ES256')
  const signer = await createSigner(privateJwk, `${id}#0`)
  return {
    id,
    signer,
    publicJwk,
    resolveIssuerKey: async () => ({ jwk: publicJwk, issuer: id }),
    sign: (header, payload) => signCompact(signer, header, payload),
  }
}

/** A Disclosure of RFC 9901 §4.2, made without the code under test. */
export const disclosure = (...parts: unknown[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url')

export const sha256 = (text: string): string => createHash('sha256').update(text, 'ascii').digest('base64url')

/** The decoded header and payload of the first JWT of a compact credential. */
export function decode(compact: string): { header: JsonObject; payload: JsonObject } {
  const [header = '', payload = ''] = (compact.split('~')[0] ?? '').split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  return { header: read(header), payload: read(payload) }
}

/** Returns the compact JWT with a changed header or payload, and with the original signature. */
export function tampered(compact: string, part: 0 | 1, change: JsonObject): string {
  const [jwt = '', ...rest] = compact.split('~')
  const segments = jwt.split('.')
  const old = JSON.parse(Buffer.from(segments[part] ?? '', 'base64url').toString('utf8'))
  segments[part] = Buffer.from(JSON.stringify({ ...old, ...change })).toString('base64url')
  return [segments.join('.'), ...rest].join('~')
}
