import { type IssuerSignedDocument, MDoc, Verifier } from '@auth0/mdl'
import { sourceOf } from '../../../server/protocol/mdoc/cbor/decode.js'
import { encodeCbor } from '../../../server/protocol/mdoc/cbor/encode.js'
import { TAG_ENCODED_CBOR, Tagged } from '../../../server/protocol/mdoc/cbor/values.js'
import type { TestCertificate } from '../issuer-keys/certificates.js'
import { at, decodedMap } from './tampering.js'

/** Makes SessionTranscriptBytes (ISO/IEC 18013-5 §9.1.5.1), which the library needs for a transcript. */
export const transcriptBytesOf = (transcript: Uint8Array): Buffer =>
  Buffer.from(encodeCbor(new Tagged(TAG_ENCODED_CBOR, transcript)))

/** Returns the IssuerSigned of a document that the library has signed, as base64url. */
export function issuerSignedOf(document: IssuerSignedDocument): string {
  const encoded = decodedMap(new MDoc([document]).encode())
  const issuerSigned = at(encoded, 'documents', 0, 'issuerSigned')
  // A decoded map. The type of a tree does not distinguish it from other nodes.
  return Buffer.from(sourceOf(issuerSigned as never) ?? []).toString('base64url')
}

/**
 * Verifies a presentation with @auth0/mdl, an independent library, and returns the failed checks. The root is the only
 * trust anchor.
 */
export async function failedChecks(
  deviceResponse: string,
  transcript: Uint8Array,
  root: TestCertificate,
): Promise<readonly string[]> {
  const failed: string[] = []
  await new Verifier([String(root.certificate)]).verify(Buffer.from(deviceResponse, 'base64url'), {
    encodedSessionTranscript: transcriptBytesOf(transcript),
    onCheck: ({ status, check }) => {
      if (status === 'FAILED') failed.push(check)
    },
  })
  return failed
}
