import { X509Certificate } from 'node:crypto'
import { ListRefusedError } from '../../refusal.js'
import { attributeOf, childOf, childrenOf, textOf, type XmlElement } from '../xml/tree.js'
import { isCertificateDigest, SHA1 } from './algorithms.js'
import { DS, XADES } from './names.js'
import { octetsOf } from './read-signature.js'

const MAX_CERTIFICATES = 8
const LEEWAY_MS = 5 * 60_000

const refuse = (sentence: string) => new ListRefusedError('signed-properties', sentence)

/**
 * The signed properties of XAdES in a signature (EN 319 132-1 §4.3.4): `Object/QualifyingProperties/SignedProperties`.
 * Undefined if there are none. Throws ListRefusedError.
 */
export function signedPropertiesOf(signature: XmlElement): XmlElement | undefined {
  const qualifying = childrenOf(signature, DS, 'Object').flatMap((object) =>
    childrenOf(object, XADES, 'QualifyingProperties'),
  )
  const properties = qualifying.flatMap((one) => childrenOf(one, XADES, 'SignedProperties'))
  if (properties.length > 1) throw refuse('The signature has signed properties twice.')
  return properties[0]
}

const signatureProperties = (properties: XmlElement): XmlElement | undefined =>
  childOf(properties, XADES, 'SignedSignatureProperties', 'signed-properties')

/**
 * Refuses a signature without a signing time, which baseline B requires (EN 319 132-1 §6.3). The time must not be in the
 * future, and the signer's certificate must have been valid then. Throws ListRefusedError.
 */
export function requireSigningTime(properties: XmlElement, { validFrom, validTo }: X509Certificate, now: Date): void {
  const signed = signatureProperties(properties)
  const element = signed && childOf(signed, XADES, 'SigningTime', 'signed-properties')
  if (element === undefined) throw refuse('The signed properties have no signing time.')
  const time = Date.parse(textOf(element) ?? '')
  if (!(time <= now.getTime() + LEEWAY_MS)) {
    throw refuse('The list has a signing time in the future, or none that can be read.')
  }
  if (!(Date.parse(validFrom) <= time && time <= Date.parse(validTo))) {
    throw refuse('The list has a signing time outside the validity of its signer’s certificate.')
  }
}

/** How the signed properties name a certificate as the signer's. */
export type Naming = 'named' | 'named-by-sha1' | 'not-named'

/**
 * How the signed properties name this certificate as the signer's (EN 319 132-1 §5.2.2: `SigningCertificateV2`, or the
 * older `SigningCertificate`). Throws ListRefusedError.
 */
export function namingOf(properties: XmlElement, certificate: X509Certificate): Naming {
  const signed = signatureProperties(properties)
  const reference =
    signed &&
    (childOf(signed, XADES, 'SigningCertificateV2', 'signed-properties') ??
      childOf(signed, XADES, 'SigningCertificate', 'signed-properties'))
  // The first certificate of the list is the signer's.
  const [cert] = reference === undefined ? [] : childrenOf(reference, XADES, 'Cert')
  const digest = cert && childOf(cert, XADES, 'CertDigest', 'signed-properties')
  const value = digest && childOf(digest, DS, 'DigestValue', 'signed-properties')
  const method = digest && childOf(digest, DS, 'DigestMethod', 'signed-properties')
  if (value === undefined || method === undefined) return 'not-named'
  const algorithm = attributeOf(method, 'Algorithm')
  if (!isCertificateDigest(algorithm, certificate.raw, octetsOf(value))) return 'not-named'
  return algorithm === SHA1 ? 'named-by-sha1' : 'named'
}

/** The certificates of `ds:KeyInfo` in their order (XML Signature 1.1 §4.5.4). Throws ListRefusedError. */
export function certificatesOf(keyInfo: XmlElement | undefined): readonly X509Certificate[] {
  if (keyInfo === undefined) return []
  const elements = childrenOf(keyInfo, DS, 'X509Data').flatMap((data) => childrenOf(data, DS, 'X509Certificate'))
  if (elements.length > MAX_CERTIFICATES) {
    throw new ListRefusedError('too-many-certificates', `The signature has more than ${MAX_CERTIFICATES} certificates.`)
  }
  return elements.map((element) => {
    try {
      return new X509Certificate(octetsOf(element))
    } catch (cause) {
      throw new ListRefusedError('header', 'The chain of the list’s signer has an entry that is no certificate.', {
        cause,
      })
    }
  })
}

/** Puts the signer's certificate first, and each issuer behind what it has issued. XML gives them in any order. */
export function orderedChain(certificates: readonly X509Certificate[], signer: X509Certificate): X509Certificate[] {
  const chain = [signer]
  const left = new Set(certificates.filter(({ raw }) => !raw.equals(signer.raw)))
  for (let last: X509Certificate | undefined = signer; last !== undefined; ) {
    const below: X509Certificate = last
    last = [...left].find((candidate) => below.checkIssued(candidate))
    if (last === undefined) break
    left.delete(last)
    chain.push(last)
  }
  return chain
}

/** The Id of an element by which a reference names it. */
export const idOf = (element: XmlElement | undefined): string | undefined =>
  element === undefined ? undefined : attributeOf(element, 'Id')
