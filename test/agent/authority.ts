import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { derElements } from '../../server/protocol/issuer-keys/der.js'
import type { TestCertificate, TestCertificateOptions } from '../protocol/issuer-keys/certificates.js'
import { intermediate, leafOf } from './certified.js'

/** The content of a certificate request (RFC 2986 §4.2). An authority reads it only from the DER. */
export interface ReadRequest {
  readonly publicKey: KeyObject
  /** Whether the sender of the request has the private key. */
  readonly signed: boolean
  /** The texts that the request contains, such as names. */
  readonly text: string
  readonly der: Buffer
}

const HASHES: Readonly<Record<string, string>> = { prime256v1: 'sha256', secp384r1: 'sha384' }

export function readRequest(pem: string): ReadRequest {
  const [, base64 = ''] =
    /^-----BEGIN CERTIFICATE REQUEST-----\n([A-Za-z0-9+/=\n]+)\n-----END CERTIFICATE REQUEST-----\n?$/.exec(pem) ?? []
  const der = Buffer.from(base64, 'base64')
  const outer = derElements(der)[0]?.content ?? new Uint8Array()
  const [info, , signature] = derElements(outer)
  if (info === undefined || signature === undefined) throw new Error('It is no certification request.')
  const infoEnd = info.content.byteOffset - outer.byteOffset + info.content.length
  const [, name, spki] = derElements(info.content)
  if (name === undefined || spki === undefined) throw new Error('It has no name or no key.')
  const spkiStart = name.content.byteOffset - info.content.byteOffset + name.content.length
  const spkiEnd = spki.content.byteOffset - info.content.byteOffset + spki.content.length
  const publicKey = createPublicKey({
    key: Buffer.from(info.content.subarray(spkiStart, spkiEnd)),
    type: 'spki',
    format: 'der',
  })
  const { namedCurve = '' } = publicKey.asymmetricKeyDetails ?? {}
  const signed = verify(
    HASHES[namedCurve] ?? null,
    outer.subarray(0, infoEnd),
    publicKey,
    signature.content.subarray(1),
  )
  return { publicKey, signed, text: Buffer.from(info.content).toString('utf8'), der }
}

/** The certificate that an authority issues for a certificate request. */
export const certificateFor = (request: string, options: Partial<TestCertificateOptions> = {}): TestCertificate =>
  leafOf({
    subject: 'Shop',
    keyPair: { publicKey: readRequest(request).publicKey, privateKey: intermediate.privateKey },
    ...options,
  })

export const pemOf = (...chain: readonly TestCertificate[]): string =>
  chain.map(({ certificate }) => certificate.toString()).join('')
