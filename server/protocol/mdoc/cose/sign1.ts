import { CredentialError } from '../../credential/verification.js'
import { canonicalAlgorithm, fitsAlgorithm } from '../../jose/algorithms.js'
import { type Jwk, JwsError, type Signer } from '../../jose/jws.js'
import { isSignatureOver } from '../../jose/signature.js'
import { verificationKey } from '../../jose/verification-key.js'
import { type DecodeOptions, decodeCbor } from '../cbor/decode.js'
import { encodeCbor } from '../cbor/encode.js'
import { type CborKey, type CborMap, type CborValue, type Encodable, isArray, isBytes, isMap } from '../cbor/values.js'
import { algorithmOfCose, coseAlgorithmsOf } from './algorithms.js'

const ALG = 1
const CRIT = 2
const X5CHAIN = 33

/** A COSE_Sign1 that is not verified yet (RFC 9052 §4.2). */
export interface Sign1 {
  /** The received protected header, unchanged: part of the signed data. */
  readonly protectedBytes: Uint8Array
  readonly protectedHeader: CborMap
  readonly unprotected: CborMap
  /** Null if the payload is detached. */
  readonly payload: Uint8Array | null
  readonly signature: Uint8Array
}

/** The headers of a COSE_Sign1 in addition to `alg`. */
export interface Headers {
  readonly protectedHeader?: ReadonlyMap<CborKey, Encodable>
  readonly unprotected?: ReadonlyMap<CborKey, Encodable>
}

/**
 * Signs a payload as an untagged COSE_Sign1, with `alg` in its protected header.
 *
 * @returns its four elements; the payload is null if it is `detached`.
 * @throws CredentialError if the signer's algorithm is not supported in mobile documents.
 */
export async function createSign1(
  signer: Pick<Signer, 'alg' | 'sign'>,
  payload: Uint8Array,
  { protectedHeader, unprotected, detached = false }: Headers & { readonly detached?: boolean } = {},
): Promise<readonly Encodable[]> {
  const [alg] = coseAlgorithmsOf(signer.alg)
  if (alg === undefined) throw new CredentialError(`Signature algorithm ${signer.alg} is not used in mobile documents.`)
  const header = encodeCbor(new Map<CborKey, Encodable>([[ALG, alg], ...(protectedHeader ?? [])]))
  const signature = await signer.sign(toBeSigned(header, payload))
  return [header, unprotected ?? new Map<CborKey, Encodable>(), detached ? null : payload, signature]
}

/** RFC 9052 §4.4: the Sig_structure, without external data. */
function toBeSigned(protectedBytes: Uint8Array, payload: Uint8Array): Uint8Array {
  return encodeCbor(['Signature1', protectedBytes, new Uint8Array(), payload])
}

/**
 * Reads the parts of a COSE_Sign1 without its tag. `what` is the name of the COSE_Sign1 in error messages: "Issuer
 * signature". Throws CredentialError.
 */
export function readSign1(value: CborValue, options: DecodeOptions): Sign1 {
  const { what } = options
  const [protectedBytes, unprotected, payload, signature, ...others] = isArray(value) ? value : []
  const complete = isBytes(protectedBytes) && isMap(unprotected) && isBytes(signature) && others.length === 0
  if (!complete || (payload !== null && !isBytes(payload))) throw new CredentialError(`${what} is no COSE_Sign1.`)
  // RFC 9052 §3: an empty header may be encoded as an empty byte string.
  const header = protectedBytes.length === 0 ? new Map() : decodeCbor(protectedBytes, options)
  if (!isMap(header)) throw new CredentialError(`${what} has a protected header that is no map.`)
  // RFC 9052 §3: a label occurs in one header only.
  if ([...unprotected.keys()].some((label) => header.has(label))) {
    throw new CredentialError(`${what} has a header parameter twice.`)
  }
  // RFC 9052 §3.1
  if (header.has(CRIT) || unprotected.has(CRIT)) {
    throw new CredentialError(`${what} has a critical header parameter that is not known.`)
  }
  return { protectedBytes, protectedHeader: header, unprotected, payload, signature }
}

/** Parameters of the verification of a COSE_Sign1. */
export interface Sign1Check {
  readonly key: Jwk
  readonly what: string
  /** The signed data, if the payload is detached. */
  readonly payload?: Uint8Array
  /** JOSE names of the accepted algorithms. Default: every supported algorithm. */
  readonly algorithms?: readonly string[] | undefined
}

/** Verifies the signature of a COSE_Sign1 over the received bytes. Throws CredentialError. */
export function verifySign1(sign1: Sign1, { key, what, payload, algorithms }: Sign1Check): void {
  const signed = payload ?? sign1.payload
  if (signed === null) throw new CredentialError(`${what} has no payload.`)
  const alg = algorithmOfCose(algOf(sign1))
  if (alg === undefined) throw refusal(what, 'is made with no supported algorithm')
  if (algorithms?.every((name) => canonicalAlgorithm(name) !== alg) === true) {
    throw refusal(what, `algorithm ${alg} was not asked for`)
  }
  if (!fitsAlgorithm(key, alg)) throw refusal(what, `algorithm ${alg} does not fit the key`)
  const data = toBeSigned(sign1.protectedBytes, signed)
  if (!isSignatureOver(alg, importedKey(key, what), data, sign1.signature)) throw refusal(what, 'is invalid')
}

const refusal = (what: string, verdict: string) => new CredentialError(`${what} ${verdict}.`, { check: 'signature' })

function importedKey(key: Jwk, what: string) {
  try {
    return verificationKey(key)
  } catch (error) {
    if (!(error instanceof JwsError)) throw error
    throw new CredentialError(`${what} cannot be verified: ${error.message}`, { check: 'signature', cause: error })
  }
}

/**
 * The header parameter `x5chain` for a chain in DER, the signer's certificate first (RFC 9360 §2). A single certificate
 * is not put into an array.
 */
export function x5chainHeader(chain: readonly Uint8Array[]): ReadonlyMap<CborKey, Encodable> {
  const [only, ...others] = chain
  return new Map([[X5CHAIN, only !== undefined && others.length === 0 ? only : chain]])
}

/** The value of the `alg` header, even if it is not supported. */
export const algOf = ({ protectedHeader }: Sign1): CborValue => protectedHeader.get(ALG)

/**
 * The certificates of `x5chain`, base64 DER, the signer's first, like `x5c` of a JWS header. Undefined without this
 * header parameter; throws CredentialError if the parameter is malformed.
 */
export function x5cOf({ protectedHeader, unprotected }: Sign1, what: string): readonly string[] | undefined {
  const x5chain = protectedHeader.get(X5CHAIN) ?? unprotected.get(X5CHAIN)
  if (x5chain === undefined) return undefined
  const chain: readonly CborValue[] = isArray(x5chain) ? x5chain : [x5chain]
  return chain.map((certificate) => {
    if (!isBytes(certificate)) throw new CredentialError(`${what} has an x5chain that holds no certificates.`)
    return Buffer.from(certificate).toString('base64')
  })
}
