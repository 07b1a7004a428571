import type { KeyObject, X509Certificate } from 'node:crypto'
import type { ReadOptions } from '../../read-list.js'
import { ListRefusedError, type Progress } from '../../refusal.js'
import { judgeSigner, keyOfSigner, type Pin, readPin, requireTrustedSigner, signerOf } from '../../signer.js'
import { canonicalize } from '../xml/canonical.js'
import type { XmlElement } from '../xml/tree.js'
import { isDigest, isSignature } from './algorithms.js'
import { SIGNED_PROPERTIES } from './names.js'
import { type Reference, readSignature, type XmlSignature } from './read-signature.js'
import {
  certificatesOf,
  idOf,
  namingOf,
  orderedChain,
  requireSigningTime,
  signedPropertiesOf,
} from './signed-properties.js'

/** A signature whose references cover the document and the signed properties, and at most the key information too. */
interface Covered {
  readonly signature: XmlSignature
  readonly properties: XmlElement
  /** What each reference signs: canonical octets. */
  readonly signed: readonly { readonly reference: Reference; readonly octets: Uint8Array }[]
  /** The document as it was signed. */
  readonly document: Uint8Array
}

/**
 * Verifies the signature of a document (XML Signature 1.1, XAdES baseline B of EN 319 132-1) and its signer. Both answers
 * go into `progress`. Throws ListRefusedError.
 *
 * @returns the octets that were signed: the canonical form of the whole document without its signature. A reader must read
 *   these octets, and not the received document.
 */
export function openSigned(root: XmlElement, options: ReadOptions, progress: Progress): Uint8Array {
  const pin = readPin(options.signer)
  const covered = coverageOf(root)
  const chain = chainOf(covered, pin)
  const signer = signerOf(chain, pin, progress)
  judgeSigner(chain, pin, options.now, progress)
  progress.signature = isValid(covered, keyOfSigner(signer)) ? 'valid' : 'invalid'
  requireTrustedSigner(progress, options.now)
  requireNamed(covered.properties, signer.certificate, progress)
  requireSigningTime(covered.properties, signer.certificate, options.now)
  return covered.document
}

/**
 * The signed properties must name the signer's certificate. Many national lists name it by SHA-1. This is accepted only if
 * the certificate itself is pinned, because the pin then decides. Throws ListRefusedError.
 */
function requireNamed(properties: XmlElement, certificate: X509Certificate, { trust }: Progress): void {
  const naming = namingOf(properties, certificate)
  if (naming === 'not-named') {
    throw new ListRefusedError('signed-properties', 'The signed properties do not name the certificate of the signer.')
  }
  if (naming === 'named-by-sha1' && trust !== 'certificate') {
    throw new ListRefusedError(
      'algorithm',
      'The signed properties name the signer’s certificate by SHA-1, so this certificate itself must be pinned.',
    )
  }
}

/** XML signature wrapping is ruled out here: each reference must be one of three known places. */
function coverageOf(root: XmlElement): Covered {
  const signature = readSignature(root)
  const { element, keyInfo, references } = signature
  const properties = signedPropertiesOf(element)
  if (properties === undefined) {
    throw new ListRefusedError('signed-properties', 'The signature has no signed properties (XAdES).')
  }
  const isDocument = ({ uri }: Reference) => uri === '' || uri === `#${idOf(root)}`
  const isProperties = ({ uri, type }: Reference) => type === SIGNED_PROPERTIES && uri === `#${idOf(properties)}`
  const isKeyInfo = ({ uri }: Reference) => keyInfo !== undefined && uri === `#${idOf(keyInfo)}`
  const places = [
    { is: isDocument, element: root, isEnveloped: true },
    { is: isProperties, element: properties, isEnveloped: false },
    { is: isKeyInfo, element: keyInfo, isEnveloped: false },
  ]
  const taken = new Set<unknown>()
  const signed = references.map((reference) => {
    const place = places.find(({ is }) => is(reference))
    if (place?.element === undefined || taken.has(place) || place.isEnveloped !== reference.isEnveloped) {
      throw new ListRefusedError(
        'reference',
        'The signature has a reference to something else than the whole list and its own properties.',
      )
    }
    taken.add(place)
    return { reference, octets: canonicalize(place.element, reference.canonicalization, element) }
  })
  const document = signed.find(({ reference }) => isDocument(reference))
  if (document === undefined) throw new ListRefusedError('reference', 'The signature does not cover the whole list.')
  if (!signed.some(({ reference }) => isProperties(reference))) {
    throw new ListRefusedError('signed-properties', 'The signature does not cover its signed properties (XAdES).')
  }
  return { signature, properties, signed, document: document.octets }
}

/** The chain of the signer. XML gives certificates in any order: the signed properties say which one is the signer's. */
function chainOf({ signature, properties }: Covered, pin: Pin): X509Certificate[] {
  const certificates = certificatesOf(signature.keyInfo)
  const signer =
    certificates.find((certificate) => namingOf(properties, certificate) !== 'not-named') ??
    certificates[0] ??
    (pin.certificates.length === 1 ? pin.certificates[0] : undefined)
  return signer === undefined ? [] : orderedChain(certificates, signer)
}

function isValid({ signature, signed }: Covered, key: KeyObject): boolean {
  const { signedInfo, canonicalization, method, value } = signature
  const isIntact = signed.every(({ reference, octets }) => isDigest(reference.digestMethod, octets, reference.digest))
  return isSignature(method, key, canonicalize(signedInfo, canonicalization), value) && isIntact
}
