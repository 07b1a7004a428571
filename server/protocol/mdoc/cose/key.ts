import { CredentialError } from '../../credential/verification.js'
import { algorithmOfJwk, type SignatureAlgorithm } from '../../jose/algorithms.js'
import { decodeBase64url, encodeBase64url } from '../../jose/base64url.js'
import type { Jwk } from '../../jose/jws.js'
import { type CborKey, type CborMap, type CborValue, isBytes, isMap } from '../cbor/values.js'

// RFC 9053 §7
const KTY = 1
const CRV = -1
const X = -2
const Y = -3

const CURVES = [
  { crv: 'P-256', number: 1, kty: 'EC', type: 2, alg: 'ES256' },
  { crv: 'P-384', number: 2, kty: 'EC', type: 2, alg: 'ES384' },
  { crv: 'Ed25519', number: 6, kty: 'OKP', type: 1, alg: 'EdDSA' },
] as const

/** The algorithms of the device keys to which a mobile document can be bound. `coseKeyOf` accepts only such keys. */
export const DEVICE_KEY_ALGORITHMS: readonly SignatureAlgorithm[] = CURVES.map(({ alg }) => alg)

/**
 * A public key as a COSE_Key (RFC 9052 §7, RFC 9053 §7.1, §7.2), with the key's numbers only.
 *
 * @throws CredentialError for a key other than P-256, P-384 and Ed25519.
 */
export function coseKeyOf(jwk: Jwk): CborMap {
  const curve = CURVES.find(({ crv, kty }) => crv === jwk.crv && kty === jwk.kty)
  const { x, y } = jwk
  if (curve === undefined || algorithmOfJwk(jwk) === undefined || x === undefined) {
    throw new CredentialError('Holder key cannot stand in an mdoc: it must be of P-256, P-384 or Ed25519.')
  }
  const key = new Map<CborKey, CborValue>([
    [KTY, curve.type],
    [CRV, curve.number],
    [X, decodeBase64url(x)],
  ])
  return curve.kty === 'EC' && y !== undefined ? key.set(Y, decodeBase64url(y)) : key
}

/**
 * The public key of a COSE_Key.
 *
 * @throws CredentialError for a kind of key that `coseKeyOf` does not make, and for compressed points.
 */
export function jwkOfCoseKey(key: CborValue): Jwk {
  const jwk = isMap(key) ? numbersOf(key) : undefined
  if (jwk === undefined || algorithmOfJwk(jwk) === undefined) {
    throw new CredentialError('Credential device key is no public key of a supported type.')
  }
  return jwk
}

function numbersOf(key: CborMap): Jwk | undefined {
  const curve = CURVES.find(({ number, type }) => number === key.get(CRV) && type === key.get(KTY))
  const [x, y] = [key.get(X), key.get(Y)]
  if (curve === undefined || !isBytes(x)) return undefined
  const { kty, crv } = curve
  if (kty === 'OKP') return { kty, crv, x: encodeBase64url(x) }
  return isBytes(y) ? { kty, crv, x: encodeBase64url(x), y: encodeBase64url(y) } : undefined
}
