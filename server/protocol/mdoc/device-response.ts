import { CredentialError, type VerifyOptions } from '../credential/verification.js'
import { type DecodeOptions, decodeCbor, sourceOf } from './cbor/decode.js'
import { encodeEmbedded } from './cbor/encode.js'
import {
  type CborMap,
  type CborValue,
  Encoded,
  isArray,
  isBytes,
  isMap,
  TAG_ENCODED_CBOR,
  Tagged,
} from './cbor/values.js'
import { decodeCredential } from './content.js'
import { readSign1, type Sign1, verifySign1 } from './cose/sign1.js'
import { assertNamespace, type IssuerSigned, readIssuerSigned } from './issuer-signed.js'
import { jsonOf } from './values.js'
import { type VerifiedMdoc, verifyIssuer } from './verify.js'

const DEVICE_SIGNATURE = 'Device signature'
const VERSION = '1.0'
/** Cost of trying one more transcript that the device may have signed. */
const UNITS_OF_A_SIGNATURE = 10_000

export interface DeviceResponseOptions extends VerifyOptions {
  /**
   * The encoded SessionTranscript of the request. For a request over the Digital Credentials API, an array with one
   * transcript for each origin that the page may have. The device must have signed one of them.
   */
  readonly sessionTranscript: Uint8Array | readonly Uint8Array[]
  /** JOSE names of the algorithms that the holder may sign with. Default: every supported algorithm. */
  readonly deviceAlgorithms?: readonly string[] | undefined
}

/**
 * Verifies a presentation of one mobile document (OpenID4VP 1.0 Appendix B.2.5; HAIP 1.0 §5.3.1; ISO/IEC 18013-5
 * §9.1.3, §9.3): its version and status, everything that `verifyIssuerSigned` verifies, and the device's signature over
 * the transcript. The claims include elements that the device signed itself, if the issuer authorized the device's key
 * for these elements.
 *
 * @param deviceResponse base64url of the encoded DeviceResponse
 * @param options `work` is the budget for decoding, and for trying each transcript after the first with the device's signature
 * @throws CredentialError with a sentence about the first check that fails.
 */
export async function verifyDeviceResponse(
  deviceResponse: string,
  options: DeviceResponseOptions,
): Promise<VerifiedMdoc> {
  const { value, decoding } = decodeCredential(deviceResponse, options.work)
  const document = documentOf(value)
  const issuerSigned = readIssuerSigned(document.get('issuerSigned'), decoding)
  const deviceSigned = readDeviceSigned(document.get('deviceSigned'), decoding)
  const { docType } = issuerSigned.mobileSecurityObject
  if (document.get('docType') !== docType) {
    throw new CredentialError('Presentation has another docType than its issuer has signed.', { check: 'signature' })
  }
  const mdoc = await verifyIssuer(issuerSigned, options)
  verifyDeviceSignature(deviceSigned, mdoc, options)
  return { ...mdoc, claims: withDeviceSigned(mdoc.claims, deviceSigned, issuerSigned) }
}

function documentOf(response: CborValue): CborMap {
  if (!isMap(response)) throw new CredentialError('Presentation is no DeviceResponse.')
  if (response.get('version') !== VERSION)
    throw new CredentialError('Presentation is a DeviceResponse of an unknown version.')
  if (response.get('status') !== 0) throw new CredentialError('Presentation is a DeviceResponse whose status is not 0.')
  const documents = response.get('documents')
  const [document, ...others] = isArray(documents) ? documents : []
  if (!isMap(document)) throw new CredentialError('Presentation is a DeviceResponse without a document.')
  // HAIP 1.0 §5.3.1
  if (others.length > 0) throw new CredentialError('Presentation is a DeviceResponse with more than one document.')
  return document
}

interface DeviceSigned {
  /** DeviceNameSpacesBytes with its tag, unchanged. */
  readonly nameSpacesBytes: Uint8Array
  readonly nameSpaces: CborMap
  readonly deviceSignature: Sign1
}

function readDeviceSigned(value: CborValue, decoding: DecodeOptions): DeviceSigned {
  const [encoded, auth] = isMap(value) ? [value.get('nameSpaces'), value.get('deviceAuth')] : []
  const nameSpacesBytes = sourceOf(encoded)
  const isEncoded = encoded instanceof Tagged && encoded.tag === TAG_ENCODED_CBOR && isBytes(encoded.value)
  if (!isEncoded || nameSpacesBytes === undefined || !isMap(auth)) {
    throw new CredentialError('Presentation has no deviceSigned with nameSpaces and deviceAuth.')
  }
  if (auth.has('deviceMac')) {
    throw new CredentialError('Device authentication by MAC is not supported.', { check: 'holder-binding' })
  }
  const nameSpaces = isBytes(encoded.value) ? decodeCbor(encoded.value, decoding) : undefined
  if (!isMap(nameSpaces)) throw new CredentialError('Presentation has device-signed nameSpaces that are no map.')
  const deviceSignature = readSign1(auth.get('deviceSignature'), { ...decoding, what: DEVICE_SIGNATURE })
  // ISO/IEC 18013-5 §9.1.3.6
  if (deviceSignature.payload !== null) {
    throw new CredentialError(`${DEVICE_SIGNATURE} has a payload, which must be detached.`, { check: 'holder-binding' })
  }
  return { nameSpacesBytes, nameSpaces, deviceSignature }
}

/**
 * DeviceAuthenticationBytes (ISO/IEC 18013-5 §9.1.3.4), which the device signs.
 *
 * @param nameSpacesBytes DeviceNameSpacesBytes
 */
export function deviceAuthenticationOf(
  transcript: Uint8Array,
  doctype: string,
  nameSpacesBytes: Uint8Array,
): Uint8Array {
  const authentication = ['DeviceAuthentication', new Encoded(transcript), doctype, new Encoded(nameSpacesBytes)]
  return encodeEmbedded(authentication)
}

function verifyDeviceSignature(
  { deviceSignature, nameSpacesBytes }: DeviceSigned,
  { deviceKey, doctype }: VerifiedMdoc,
  { sessionTranscript, deviceAlgorithms, work }: DeviceResponseOptions,
): void {
  const transcripts = sessionTranscript instanceof Uint8Array ? [sessionTranscript] : sessionTranscript
  const failures: CredentialError[] = []
  for (const [position, transcript] of transcripts.entries()) {
    // The first transcript costs nothing extra: the units for the issuer's signature include it.
    if (position > 0) work?.spend(UNITS_OF_A_SIGNATURE)
    try {
      const payload = deviceAuthenticationOf(transcript, doctype, nameSpacesBytes)
      verifySign1(deviceSignature, { key: deviceKey, what: DEVICE_SIGNATURE, payload, algorithms: deviceAlgorithms })
      return
    } catch (error) {
      if (!(error instanceof CredentialError)) throw error
      failures.push(error)
    }
  }
  const [first] = failures
  throw new CredentialError(first?.message ?? `${DEVICE_SIGNATURE} is invalid.`, {
    check: 'holder-binding',
    cause: first,
  })
}

function withDeviceSigned(
  claims: VerifiedMdoc['claims'],
  { nameSpaces }: DeviceSigned,
  { mobileSecurityObject }: IssuerSigned,
): VerifiedMdoc['claims'] {
  const all = new Map(Object.entries(claims))
  for (const [namespace, elements] of nameSpaces) {
    if (typeof namespace !== 'string' || !isMap(elements)) {
      throw new CredentialError('Presentation has a device-signed namespace that is no map of elements.')
    }
    assertNamespace(namespace)
    // ISO/IEC 18013-5 §8.3.2.1.2.2: without elements, the authorization of the namespace would never be checked.
    if (elements.size === 0) throw new CredentialError('Presentation has a device-signed namespace without elements.')
    const members = new Map(Object.entries(all.get(namespace) ?? {}))
    for (const [identifier, value] of elements) {
      // ISO/IEC 18013-5 §9.1.2.4
      if (typeof identifier !== 'string' || !mobileSecurityObject.authorizes(namespace, identifier)) {
        throw new CredentialError('Presentation has an element that the device may not sign.', {
          check: 'holder-binding',
        })
      }
      if (members.has(identifier)) {
        throw new CredentialError('Presentation has an element that both issuer and device have signed.')
      }
      members.set(identifier, jsonOf(value))
    }
    all.set(namespace, Object.fromEntries(members))
  }
  return Object.fromEntries(all)
}
