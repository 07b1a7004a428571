import { constants, hash, type KeyObject, verify } from 'node:crypto'
import { ListRefusedError } from '../../refusal.js'

const XMLENC = 'http://www.w3.org/2001/04/xmlenc#'
const MORE = 'http://www.w3.org/2001/04/xmldsig-more#'
const MORE_2007 = 'http://www.w3.org/2007/05/xmldsig-more#'

type Hash = 'sha256' | 'sha384' | 'sha512'

export const SHA1 = 'http://www.w3.org/2000/09/xmldsig#sha1'

/** Hash algorithms (XML Signature 1.1 §6.2). SHA-1 is not allowed. */
const HASHES: ReadonlyMap<string, Hash> = new Map([
  [`${XMLENC}sha256`, 'sha256'],
  [`${MORE}sha384`, 'sha384'],
  [`${XMLENC}sha512`, 'sha512'],
])

interface SignatureMethod {
  readonly hash: Hash
  readonly type: 'rsa' | 'rsa-pss' | 'ecdsa'
}

/** Signature algorithms (XML Signature 1.1 §6.4, RFC 9231 §2.3). */
const SIGNATURES: ReadonlyMap<string, SignatureMethod> = new Map(
  (['sha256', 'sha384', 'sha512'] as const).flatMap((name): [string, SignatureMethod][] => [
    [`${MORE}rsa-${name}`, { hash: name, type: 'rsa' }],
    [`${MORE_2007}${name}-rsa-MGF1`, { hash: name, type: 'rsa-pss' }],
    [`${MORE}ecdsa-${name}`, { hash: name, type: 'ecdsa' }],
  ]),
)

const MIN_RSA_BITS = 2048
const MAX_RSA_BITS = 8192

/** Curves, with the octets of an integer below the order of the curve. */
const CURVES: ReadonlyMap<string, number> = new Map([
  ['prime256v1', 32],
  ['secp384r1', 48],
  ['secp521r1', 66],
  ['brainpoolP256r1', 32],
  ['brainpoolP384r1', 48],
  ['brainpoolP512r1', 64],
])

/** Whether `digest` is the hash of the octets. Throws ListRefusedError `algorithm`. */
export function isDigest(algorithm: string | undefined, octets: Uint8Array, digest: Uint8Array): boolean {
  const name = HASHES.get(algorithm ?? '')
  if (name === undefined) throw notAllowed('hash')
  return hash(name, octets, 'buffer').equals(digest)
}

/**
 * Whether `digest` is the hash of the certificate. SHA-1 is allowed here, so callers must also know the certificate from
 * another source. Throws ListRefusedError `algorithm`.
 */
export const isCertificateDigest = (algorithm: string | undefined, certificate: Uint8Array, digest: Uint8Array) =>
  algorithm === SHA1 ? hash('sha1', certificate, 'buffer').equals(digest) : isDigest(algorithm, certificate, digest)

const notAllowed = (what: string) =>
  new ListRefusedError('algorithm', `The list is signed with a ${what} algorithm that is not allowed.`)

/** Whether a key signed the octets. Throws ListRefusedError `algorithm`, also if the key does not fit the algorithm. */
export function isSignature(algorithm: string | undefined, key: KeyObject, octets: Uint8Array, signature: Uint8Array) {
  const method = SIGNATURES.get(algorithm ?? '')
  if (method === undefined) throw notAllowed('signature')
  requireKey(key, method)
  if (method.type === 'ecdsa')
    return verify(method.hash, octets, { key, dsaEncoding: 'ieee-p1363' }, fullWidth(signature, key))
  if (method.type === 'rsa')
    return verify(method.hash, octets, { key, padding: constants.RSA_PKCS1_PADDING }, signature)
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  return verify(method.hash, octets, { key, ...pss }, signature)
}

/**
 * XML Signature 1.1 §6.4.3: both integers have as many octets as the order of the curve. SD-DSS and other code leave out
 * zeros at the beginning of both. With P-521, this shortens a quarter of all signatures.
 */
function fullWidth(signature: Uint8Array, { asymmetricKeyDetails: { namedCurve = '' } = {} }: KeyObject): Uint8Array {
  const [octets = 0, half] = [CURVES.get(namedCurve), signature.length / 2]
  if (!Number.isInteger(half) || half >= octets) return signature
  const zeros = Buffer.alloc(octets - half)
  return Buffer.concat([zeros, signature.subarray(0, half), zeros, signature.subarray(half)])
}

function requireKey({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject, { type }: SignatureMethod): void {
  const { modulusLength = 0, namedCurve } = asymmetricKeyDetails
  const fits =
    type === 'ecdsa'
      ? asymmetricKeyType === 'ec' && CURVES.has(namedCurve ?? '')
      : (asymmetricKeyType === 'rsa' || (asymmetricKeyType === 'rsa-pss' && type === 'rsa-pss')) &&
        modulusLength >= MIN_RSA_BITS &&
        modulusLength <= MAX_RSA_BITS
  if (!fits) throw new ListRefusedError('algorithm', 'The signature algorithm of the list does not fit the signer.')
}
