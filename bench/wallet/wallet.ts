import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'

/** The key of a wallet in the load; it signs synchronously, which takes a thirtieth of a millisecond. */
export interface BenchWallet {
  readonly did: string
  readonly kid: string
  readonly jwk: Readonly<Record<string, unknown>>
  /** ES256, compact. */
  sign(header: Record<string, unknown>, payload: Record<string, unknown>): string
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function signWith(key: KeyObject, header: Record<string, unknown>, payload: Record<string, unknown>): string {
  const input = `${encode({ alg: 'ES256', ...header })}.${encode(payload)}`
  const signature = createSign('sha256').update(input).sign({ key, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}

export function newBenchWallet(): BenchWallet {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' }) as Readonly<Record<string, unknown>>
  const did = `did:jwk:${encode(jwk)}`
  return { did, kid: `${did}#0`, jwk, sign: (header, payload) => signWith(privateKey, header, payload) }
}
