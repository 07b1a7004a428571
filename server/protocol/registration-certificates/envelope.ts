import type { SignatureAlgorithm } from '../jose/algorithms.js'
import { allowedAlgorithm, decodeCompact, type Jwk, JwsError, verifyDecoded } from '../jose/jws.js'
import type { JsonObject } from '../json/json-object.js'
import { RegistrationCertificateError } from './fault.js'
import { MAX_REGISTRATION_CERTIFICATE } from './limits.js'
import { requireFlat } from './members.js'

/** Signature algorithms of registration certificates (TS 119 182-1 §5.1.2, TS 119 312), as far as they are known here. */
export const ALGORITHMS: readonly SignatureAlgorithm[] = ['ES256', 'ES384', 'EdDSA', 'PS256', 'RS256']

/** Types in the header (TS 119 475 tables 5 and 6). */
const JWT_TYPE = 'rc-wrp+jwt'

/** Header parameters that `crit` may name, as in older versions of JAdES (TS 119 182-1). */
const UNDERSTOOD: readonly string[] = ['sigT', 'iat', 'alg', 'typ', 'cty', 'x5c', 'x5t#S256']

/** A registration certificate whose signature is not verified yet. */
export interface Envelope {
  readonly form: 'jwt' | 'cwt'
  readonly claims: JsonObject
  /** The chain of the signer in base64 DER, the signer's certificate first. It is not trusted. */
  readonly x5c: unknown
  /** Throws RegistrationCertificateError `algorithm` or `signature`. */
  verify(key: Jwk): void
}

export const tooLarge = () =>
  new RegistrationCertificateError(
    'too-large',
    `The registration certificate is longer than ${MAX_REGISTRATION_CERTIFICATE / 1024} KiB.`,
  )

export const wrongType = (wanted: string) =>
  new RegistrationCertificateError('type', `The registration certificate is not of type ${wanted}.`)

export const noSigner = (name: string) =>
  new RegistrationCertificateError('signer', `The registration certificate has no certificate of its signer (${name}).`)

/** `application/` is optional in a type (RFC 7515 §4.1.9). */
export const isType = (typ: unknown, wanted: string): boolean =>
  typeof typ === 'string' && typ.toLowerCase().replace(/^application\//, '') === wanted

/**
 * Opens the JWT form (TS 119 475 §5.2.2), a JWS in JAdES baseline B. A key in the header is never used: the chain in
 * `x5c` must be judged first. Throws RegistrationCertificateError.
 */
export function openJwt(compact: string): Envelope {
  if (compact.length > MAX_REGISTRATION_CERTIFICATE) throw tooLarge()
  const decoded = decode(compact)
  const { header, payload } = decoded
  if (!isType(header.typ, JWT_TYPE)) throw wrongType(JWT_TYPE)
  const algorithm = algorithmOf(header.alg)
  requireFlat(payload)
  if (header.x5c === undefined) throw noSigner('x5c')
  return {
    form: 'jwt',
    claims: payload,
    x5c: header.x5c,
    verify(key) {
      try {
        verifyDecoded(decoded, key, [algorithm])
      } catch (error) {
        throw refusalOf(error)
      }
    },
  }
}

function decode(compact: string) {
  try {
    return decodeCompact(compact, MAX_REGISTRATION_CERTIFICATE, UNDERSTOOD)
  } catch (error) {
    throw refusalOf(error)
  }
}

function algorithmOf(alg: unknown): SignatureAlgorithm {
  try {
    return allowedAlgorithm(alg, ALGORITHMS)
  } catch (error) {
    throw refusalOf(error)
  }
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof JwsError)) return error
  const refuse = (check: 'malformed' | 'algorithm' | 'signature', sentence: string) =>
    new RegistrationCertificateError(check, sentence, { cause: error })
  switch (error.code) {
    case 'malformed':
      return refuse('malformed', `The registration certificate is no well-formed JWT: ${error.message}`)
    case 'signature':
      return refuse('signature', 'The signature of the registration certificate does not fit its content.')
    default:
      return refuse('algorithm', `The signature of the registration certificate is refused: ${error.message}`)
  }
}
