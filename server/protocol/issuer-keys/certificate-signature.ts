import { type DerElement, derElements } from './der.js'

const ALLOWED: ReadonlySet<string> = new Set([
  '2a8648ce3d040302', // ecdsa-with-SHA256
  '2a8648ce3d040303', // ecdsa-with-SHA384
  '2a8648ce3d040304', // ecdsa-with-SHA512
  '2a864886f70d01010b', // sha256WithRSAEncryption
  '2a864886f70d01010c', // sha384WithRSAEncryption
  '2a864886f70d01010d', // sha512WithRSAEncryption
  '2b6570', // Ed25519
])
const RSASSA_PSS = '2a864886f70d01010a'

const TAG_OBJECT_IDENTIFIER = 0x06
const TAG_NULL = 0x05
const TAG_SEQUENCE = 0x30
const TAG_HASH = 0xa0
const TAG_MASK = 0xa1
const TAG_TRAILER = 0xa3
/** INTEGER 1. */
const USUAL_TRAILER = '020101'

const MGF1 = '2a864886f70d010108'
const SHA2: ReadonlySet<string> = new Set([
  '608648016503040201', // id-sha256
  '608648016503040202', // id-sha384
  '608648016503040203', // id-sha512
])

/**
 * Whether a certificate's `signatureAlgorithm` (RFC 5280 §4.1.1.2) is secure. Throws RangeError for a malformed
 * structure.
 */
export function isAllowedSignature(signatureAlgorithm: DerElement | undefined): boolean {
  const algorithm = algorithmOf(signatureAlgorithm)
  if (algorithm === undefined) return false
  return algorithm.id === RSASSA_PSS ? usesSha2Only(algorithm.parameters) : ALLOWED.has(algorithm.id)
}

/**
 * Whether the parameters of an RSASSA-PSS signature (RFC 4055 §3.1) name SHA-2 both as the hash and in the mask generation.
 * An absent parameter means SHA-1.
 *
 * `RSASSA-PSS-params ::= SEQUENCE { hashAlgorithm [0] DEFAULT sha1, maskGenAlgorithm [1] DEFAULT mgf1SHA1, saltLength [2]
 * DEFAULT 20, trailerField [3] DEFAULT 1 }`
 */
function usesSha2Only(parameters: DerElement | undefined): boolean {
  if (parameters?.tag !== TAG_SEQUENCE) return false
  const fields = derElements(parameters.content)
  // DER requires the fields in order, and each field at most once. Otherwise two readers could read different values.
  if (fields.some(({ tag }, index) => tag < TAG_HASH || tag > TAG_TRAILER || tag <= (fields[index - 1]?.tag ?? 0))) {
    return false
  }
  const field = (wanted: number) => fields.find(({ tag }) => tag === wanted)?.content
  const trailer = field(TAG_TRAILER)
  if (trailer !== undefined && Buffer.from(trailer).toString('hex') !== USUAL_TRAILER) return false
  return isSha2(onlyElement(field(TAG_HASH))) && isMgf1WithSha2(onlyElement(field(TAG_MASK)))
}

/** The only element inside an explicit tag; undefined if there is none or more than one. */
function onlyElement(octets: Uint8Array | undefined): DerElement | undefined {
  const [element, ...behind] = derElements(octets ?? new Uint8Array(0))
  return behind.length === 0 ? element : undefined
}

/** `AlgorithmIdentifier ::= SEQUENCE { algorithm OBJECT IDENTIFIER, parameters ANY DEFINED BY algorithm OPTIONAL }` */
function algorithmOf(element: DerElement | undefined): { id: string; parameters: DerElement | undefined } | undefined {
  if (element?.tag !== TAG_SEQUENCE) return undefined
  const [algorithm, parameters, ...behind] = derElements(element.content)
  if (algorithm?.tag !== TAG_OBJECT_IDENTIFIER || behind.length > 0) return undefined
  return { id: Buffer.from(algorithm.content).toString('hex'), parameters }
}

function isSha2(element: DerElement | undefined): boolean {
  const hash = algorithmOf(element)
  return hash !== undefined && SHA2.has(hash.id) && (hash.parameters === undefined || hash.parameters.tag === TAG_NULL)
}

function isMgf1WithSha2(element: DerElement | undefined): boolean {
  const mask = algorithmOf(element)
  return mask?.id === MGF1 && isSha2(mask.parameters)
}
