import { webcrypto } from 'node:crypto'
import { DOMImplementation, DOMParser, XMLSerializer } from '@xmldom/xmldom'
import { Application, SignedXml } from 'xadesjs'
import { setNodeDependencies } from 'xml-core'
import xpath from 'xpath'
import type { TestCertificate } from '../issuer-keys/certificates.js'
import { operator } from './world.js'

// The libraries know the types of browsers. The casts below bring them those of Node.js and of xmldom.
setNodeDependencies({ DOMParser, XMLSerializer, DOMImplementation, xpath } as never)
Application.setEngine('NodeJS', webcrypto as never)

export interface XadesOptions {
  readonly by?: TestCertificate
  /** Certificates in ds:KeyInfo. */
  readonly x509?: readonly string[]
  readonly uri?: string
  readonly transforms?: readonly string[]
  /** The certificate in the signed properties; null for none. */
  readonly named?: TestCertificate | null
  /** The hash by which the signed properties name the certificate. */
  readonly namedBy?: 'SHA-1' | 'SHA-256'
  readonly hash?: 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512'
  /** null for none. */
  readonly signingTime?: Date | null
}

/** Signs a document with xadesjs, another code base, as XAdES with an enveloped signature. */
export async function signXml(xml: string, options: XadesOptions = {}): Promise<Buffer> {
  const { by = operator, x509 = [by.x5c], uri, hash = 'SHA-256', named = by, namedBy = 'SHA-256' } = options
  const { transforms = ['enveloped', 'exc-c14n'], signingTime = new Date('2026-05-01T00:00:00Z') } = options
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash }
  const jwk = by.privateKey.export({ format: 'jwk' })
  const key = await webcrypto.subtle.importKey('jwk', jwk as never, algorithm, true, ['sign'])
  const document = new DOMParser().parseFromString(xml, 'application/xml')
  const signed = new SignedXml()
  const signature = await signed.Sign(
    algorithm,
    key as never,
    document as never,
    {
      x509: [...x509],
      references: [{ hash, transforms: [...transforms] as never, ...(uri === undefined ? {} : { uri }) }],
      ...(named === null ? {} : { signingCertificateV2: { certificate: named.x5c, digestAlgorithm: namedBy } }),
      ...(signingTime === null ? {} : { signingTime: { value: signingTime } }),
    } as never,
  )
  const text = new XMLSerializer().serializeToString(document)
  const end = text.lastIndexOf('</')
  return Buffer.from(`${text.slice(0, end)}${signature}${text.slice(end)}`)
}
