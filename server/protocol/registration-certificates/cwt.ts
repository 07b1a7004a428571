import { CredentialError } from '../credential/verification.js'
import type { JsonObject } from '../json/json-object.js'
import { decodeCbor } from '../mdoc/cbor/decode.js'
import { type CborMap, type CborValue, isArray, isMap, Tagged } from '../mdoc/cbor/values.js'
import { algorithmOfCose } from '../mdoc/cose/algorithms.js'
import { algOf, readSign1, type Sign1, verifySign1, x5cOf } from '../mdoc/cose/sign1.js'
import { ALGORITHMS, type Envelope, isType, noSigner, tooLarge, wrongType } from './envelope.js'
import { malformed, RegistrationCertificateError } from './fault.js'
import { MAX_REGISTRATION_CERTIFICATE } from './limits.js'
import { requireFlat } from './members.js'

const CWT_TYPE = 'rc-wrp+cwt'
const TAG_COSE_SIGN1 = 18
/** RFC 8392 §6 */
const TAG_CWT = 61
/** RFC 9596 */
const TYP = 16
const WHAT = 'The registration certificate'

/** Registered claims (RFC 8392 §3.1, Token Status List §6.3). The standard has no numbers for its own claims. */
const NUMBERED: ReadonlyMap<unknown, string> = new Map([
  [1, 'iss'],
  [2, 'sub'],
  [3, 'aud'],
  [4, 'exp'],
  [5, 'nbf'],
  [6, 'iat'],
  [7, 'cti'],
  [65_535, 'status'],
])

/** Opens the CWT form (TS 119 475 §5.2.3): a COSE_Sign1, with or without its tags. Throws RegistrationCertificateError. */
export function openCwt(bytes: Uint8Array): Envelope {
  if (bytes.length > MAX_REGISTRATION_CERTIFICATE) throw tooLarge()
  return asRefusal('malformed', () => {
    const sign1 = readSign1(untagged(decodeCbor(bytes, { what: WHAT })), { what: WHAT })
    if (!isType(sign1.protectedHeader.get(TYP), CWT_TYPE)) throw wrongType(CWT_TYPE)
    requireAlgorithm(sign1)
    const claims = claimsOf(sign1)
    const x5c = x5cOf(sign1, WHAT)
    if (x5c === undefined) throw noSigner('x5chain')
    return {
      form: 'cwt',
      claims,
      x5c,
      verify: (key) =>
        asRefusal('signature', () => verifySign1(sign1, { key, what: `${WHAT} signature`, algorithms: ALGORITHMS })),
    }
  })
}

function untagged(value: CborValue): CborValue {
  const inner = value instanceof Tagged && value.tag === TAG_CWT ? value.value : value
  return inner instanceof Tagged && inner.tag === TAG_COSE_SIGN1 ? inner.value : inner
}

function requireAlgorithm(sign1: Sign1): void {
  const algorithm = algorithmOfCose(algOf(sign1))
  if (algorithm !== undefined && ALGORITHMS.includes(algorithm)) return
  throw new RegistrationCertificateError('algorithm', `${WHAT} is not signed with a supported algorithm.`)
}

function claimsOf({ payload }: Sign1): JsonObject {
  const decoded = payload === null ? undefined : decodeCbor(payload, { what: WHAT })
  if (!isMap(decoded)) throw malformed('its content', 'must be a map of claims')
  const claims = new Map<string, unknown>()
  for (const [key, value] of decoded) {
    const name = typeof key === 'string' ? key : NUMBERED.get(key)
    if (name === undefined) continue
    // Two readers could otherwise take different claims for the same claim.
    if (claims.has(name)) throw malformed(name, 'must not be there twice')
    claims.set(name, plain(value))
  }
  const read = Object.fromEntries(claims)
  requireFlat(read)
  return read
}

/** The decoder limits depth and size. Values without a form in JSON stay as they are, and no claim has them. */
function plain(value: CborValue): unknown {
  if (isArray(value)) return value.map(plain)
  return isMap(value) ? plainMap(value) : value
}

const plainMap = (map: CborMap): JsonObject =>
  Object.fromEntries(Array.from(map, ([key, value]) => [String(key), plain(value)]))

function asRefusal<T>(check: 'malformed' | 'signature', step: () => T): T {
  try {
    return step()
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error
    throw new RegistrationCertificateError(check, error.message, { cause: error })
  }
}
