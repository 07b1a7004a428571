import { CredentialError } from '../credential/verification.js'
import { encodeBase64url } from '../jose/base64url.js'
import type { Signer } from '../jose/jws.js'
import { encodeCbor, encodeEmbedded } from './cbor/encode.js'
import { type Encodable, Encoded } from './cbor/values.js'
import { decodeCredential } from './content.js'
import { createSign1 } from './cose/sign1.js'
import { deviceAuthenticationOf } from './device-response.js'
import { type IssuerSigned, type IssuerSignedItem, readIssuerSigned } from './issuer-signed.js'

/** A namespace and an element identifier (OpenID4VP 1.0 §7.2). */
export type ElementPath = readonly [namespace: string, identifier: string]

export interface MdocPresentation {
  /**
   * base64url of the encoded IssuerSigned, as the issuer sent it. The holder verified it on receipt, so it is not
   * verified again.
   */
  readonly issuerSigned: string
  /** The elements to disclose; the document must have all of them. */
  readonly disclose: readonly ElementPath[]
  /** The encoded SessionTranscript of the request. */
  readonly sessionTranscript: Uint8Array
  /** Signer with the device key. */
  readonly signer: Pick<Signer, 'alg' | 'sign'>
}

/**
 * Presents a mobile document: a DeviceResponse of one document with the selected items in the issuer's encoding, and the
 * device's signature over the transcript (ISO/IEC 18013-5 §8.3.2.1.2.2, §9.1.3).
 *
 * @returns base64url of the encoded DeviceResponse (OpenID4VP 1.0 Appendix B.2.5).
 * @throws CredentialError if the credential is malformed, or lacks an element to disclose.
 */
export async function presentMdoc(presentation: MdocPresentation): Promise<string> {
  const { value, decoding } = decodeCredential(presentation.issuerSigned)
  const issuerSigned = readIssuerSigned(value, decoding)
  const { docType } = issuerSigned.mobileSecurityObject
  const nameSpacesBytes = encodeEmbedded(new Map())
  const authentication = deviceAuthenticationOf(presentation.sessionTranscript, docType, nameSpacesBytes)
  const deviceSignature = await createSign1(presentation.signer, authentication, { detached: true })
  const document = new Map<string, Encodable>([
    ['docType', docType],
    ['issuerSigned', selected(issuerSigned, presentation.disclose)],
    [
      'deviceSigned',
      new Map<string, Encodable>([
        ['nameSpaces', new Encoded(nameSpacesBytes)],
        ['deviceAuth', new Map([['deviceSignature', deviceSignature]])],
      ]),
    ],
  ])
  const response = new Map<string, Encodable>([
    ['version', '1.0'],
    ['documents', [document]],
    ['status', 0],
  ])
  return encodeBase64url(encodeCbor(response))
}

function selected({ namespaces, issuerAuthBytes }: IssuerSigned, disclose: readonly ElementPath[]): Encodable {
  const chosen = new Map<string, Set<IssuerSignedItem>>()
  for (const [namespace, identifier] of disclose) {
    const item = namespaces.get(namespace)?.find((each) => each.identifier === identifier)
    if (item === undefined) throw new CredentialError(`Credential has no element ${identifier} in ${namespace}.`)
    chosen.set(namespace, (chosen.get(namespace) ?? new Set()).add(item))
  }
  // Without items the member is left out: it must not be empty.
  const nameSpaces = new Map(
    [...chosen].map(([namespace, items]) => [namespace, [...items].map(({ bytes }) => new Encoded(bytes))]),
  )
  return new Map<string, Encodable>([
    ...(nameSpaces.size === 0 ? [] : [['nameSpaces', nameSpaces] as const]),
    ['issuerAuth', new Encoded(issuerAuthBytes)],
  ])
}
