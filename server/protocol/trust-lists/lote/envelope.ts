import { hash } from 'node:crypto'
import { readX5c } from '../../issuer-keys/certificate-chain.js'
import { IssuerKeyError } from '../../issuer-keys/issuer-key-error.js'
import type { SignatureAlgorithm } from '../../jose/algorithms.js'
import { allowedAlgorithm, type DecodedJws, decodeCompact, type Jwk, JwsError, verifyDecoded } from '../../jose/jws.js'
import { MAX_LIST_BYTES } from '../limits.js'
import { requireFlatJson } from '../nesting.js'
import type { ReadOptions } from '../read-list.js'
import { ListRefusedError, type Progress } from '../refusal.js'
import { judgeSigner, keyOfSigner, type Pin, readPin, requireTrustedSigner, signerOf } from '../signer.js'
import { compactOf } from './serialization.js'

const ALGORITHMS: readonly SignatureAlgorithm[] = ['ES256', 'ES384', 'EdDSA', 'PS256', 'RS256']

/**
 * Header parameters that `crit` may name. JAdES 1.1.1 (TS 119 182-1) put `sigT` there, and some signers name registered
 * parameters too. All of them are checked here or by the verification of the signature.
 */
const UNDERSTOOD: readonly string[] = ['sigT', 'iat', 'alg', 'typ', 'cty', 'x5c', 'x5t#S256']
/** Types of a JWS that are, or may be, a list (RFC 7515 §4.1.9). The standard of lists names none. */
const TYPES: readonly string[] = ['jose', 'jose+json', 'jwt', 'trustlist+jwt', 'lote+jwt']
const LEEWAY_MS = 5 * 60_000

/**
 * Opens the JWS of a list (TS 119 602 §6.8: JAdES baseline B in compact form), and verifies its signature and its signer.
 * Both answers go into `progress`. Throws ListRefusedError.
 */
export function openEnvelope(bytes: Uint8Array, options: ReadOptions, progress: Progress): DecodedJws {
  const pin = readPin(options.signer)
  const decoded = decode(compactOf(bytes))
  const { header } = decoded
  const algorithm = algorithmOf(header)
  requireHeader(header, options.now)
  const chain = header.x5c === undefined ? [] : chainOf(header.x5c)
  verify(decoded, { chain, pin, algorithm, now: options.now, progress })
  return decoded
}

function decode(compact: string): DecodedJws {
  requireFlatJson(Buffer.from(compact.split('.', 2)[1] ?? '', 'base64url'))
  try {
    return decodeCompact(compact, MAX_LIST_BYTES, UNDERSTOOD)
  } catch (error) {
    if (!(error instanceof JwsError)) throw error
    const check = error.message.includes('header has') ? 'header' : 'malformed'
    throw new ListRefusedError(check, `The list is no signed list: ${error.message}`, { cause: error })
  }
}

function algorithmOf({ alg }: DecodedJws['header']): SignatureAlgorithm {
  if (alg === 'none') throw new ListRefusedError('unsigned', 'The list is not signed: its algorithm is "none".')
  try {
    return allowedAlgorithm(alg, ALGORITHMS)
  } catch (error) {
    if (error instanceof JwsError) throw new ListRefusedError('algorithm', error.message, { cause: error })
    throw error
  }
}

function requireHeader(header: DecodedJws['header'], now: Date): void {
  const refuse = (sentence: string) => new ListRefusedError('header', sentence)
  if ('sigD' in header) throw refuse('The list is signed as a detached object (sigD), which is not supported.')
  const { typ } = header
  // RFC 8725 §3.11: a JWT with a type must have the type of a list.
  if (
    typ !== undefined &&
    !(typeof typ === 'string' && TYPES.includes(typ.toLowerCase().replace('application/', '')))
  ) {
    throw refuse('The list has a header of another type of document (typ).')
  }
  const signedAt = signingTime(header)
  if (signedAt !== undefined && !(signedAt <= now.getTime() + LEEWAY_MS)) {
    throw refuse('The list has a signing time in the future, or none that can be read.')
  }
  const thumbprint = header['x5t#S256']
  if (thumbprint !== undefined && Array.isArray(header.x5c) && thumbprint !== thumbprintOf(header.x5c[0])) {
    throw refuse('The list has a hash of its certificate (x5t#S256) that is that of another certificate.')
  }
}

/** The claimed signing time of JAdES (TS 119 182-1 §5.1.11 `iat`, §5.2.1 `sigT`), NaN if it is malformed. */
function signingTime({ iat, sigT }: DecodedJws['header']): number | undefined {
  if (iat !== undefined) return typeof iat === 'number' ? iat * 1000 : Number.NaN
  if (sigT !== undefined) return typeof sigT === 'string' ? Date.parse(sigT) : Number.NaN
  return undefined
}

const thumbprintOf = (x5c: unknown): string | undefined =>
  typeof x5c === 'string' ? hash('sha256', Buffer.from(x5c, 'base64'), 'base64url') : undefined

function chainOf(x5c: unknown) {
  try {
    return readX5c(x5c)
  } catch (error) {
    if (error instanceof IssuerKeyError)
      throw new ListRefusedError('header', `The chain of the list's signer is refused: ${error.message}`, {
        cause: error,
      })
    throw error
  }
}

interface Verification {
  readonly chain: ReturnType<typeof readX5c>
  readonly pin: Pin
  readonly algorithm: SignatureAlgorithm
  readonly now: Date
  readonly progress: Progress
}

function verify(decoded: DecodedJws, { chain, pin, algorithm, now, progress }: Verification): void {
  if (decoded.signature.length === 0) throw new ListRefusedError('unsigned', 'The list is not signed.')
  const signer = signerOf(chain, pin, progress)
  judgeSigner(chain, pin, now, progress)
  progress.signature = isSigned(decoded, keyOfSigner(signer), algorithm) ? 'valid' : 'invalid'
  requireTrustedSigner(progress, now)
}

function isSigned(
  decoded: DecodedJws,
  key: { export(options: { format: 'jwk' }): Jwk },
  algorithm: SignatureAlgorithm,
) {
  try {
    verifyDecoded(decoded, key.export({ format: 'jwk' }), [algorithm])
    return true
  } catch (error) {
    if (error instanceof JwsError && (error.code === 'signature' || error.code === 'key')) return false
    if (error instanceof JwsError) throw new ListRefusedError('algorithm', error.message, { cause: error })
    // node:crypto: the key has no JWK form.
    throw new ListRefusedError('algorithm', 'The key of the signer is of no supported type.', { cause: error })
  }
}
