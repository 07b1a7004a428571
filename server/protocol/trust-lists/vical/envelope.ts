import { CredentialError } from '../../credential/verification.js'
import { readX5c } from '../../issuer-keys/certificate-chain.js'
import { IssuerKeyError } from '../../issuer-keys/issuer-key-error.js'
import type { Jwk } from '../../jose/jws.js'
import { decodeCbor, ElementBudget } from '../../mdoc/cbor/decode.js'
import { type CborValue, isArray, isMap, Tagged } from '../../mdoc/cbor/values.js'
import { algorithmOfCose } from '../../mdoc/cose/algorithms.js'
import { algOf, readSign1, type Sign1, verifySign1, x5cOf } from '../../mdoc/cose/sign1.js'
import { MAX_LIST_BYTES } from '../limits.js'
import type { ReadOptions } from '../read-list.js'
import { ListRefusedError, malformed, type Progress } from '../refusal.js'
import { judgeSigner, keyOfSigner, readPin, requireTrustedSigner, signerOf } from '../signer.js'

const TAG_COSE_SIGN1 = 18
/** Elements of all arrays and maps. A certificate has about 15 of them. */
const MAX_ELEMENTS = 500_000
const WHAT = 'VICAL'

/**
 * Opens the COSE_Sign1 of a VICAL (ISO/IEC 18013-5 §C.1.7), with or without its tag, and verifies its signature and its
 * signer. Both answers go into `progress`. Returns the decoded payload. Throws ListRefusedError.
 */
export function openEnvelope(bytes: Uint8Array, options: ReadOptions, progress: Progress): CborValue {
  const pin = readPin(options.signer)
  const budget = new ElementBudget(undefined, MAX_ELEMENTS)
  const sign1 = decoded(() => readEnvelope(bytes, budget))
  if (sign1.payload === null) throw malformed('the signed content', 'is missing')
  if (sign1.signature.length === 0) throw new ListRefusedError('unsigned', 'The list is not signed.')
  if (algorithmOfCose(algOf(sign1)) === undefined) {
    throw new ListRefusedError('algorithm', 'The list is signed with an algorithm that is not allowed.')
  }
  const chain = chainOf(sign1)
  const signer = signerOf(chain, pin, progress)
  judgeSigner(chain, pin, options.now, progress)
  progress.signature = isSigned(sign1, keyOf(keyOfSigner(signer))) ? 'valid' : 'invalid'
  requireTrustedSigner(progress, options.now)
  const { payload } = sign1
  return decoded(() => decodeCbor(payload, { what: WHAT, budget, maxBytes: MAX_LIST_BYTES }))
}

function readEnvelope(bytes: Uint8Array, budget: ElementBudget): Sign1 {
  const options = { what: WHAT, budget, maxBytes: MAX_LIST_BYTES }
  const value = decodeCbor(bytes, options)
  if (isMap(value)) throw new ListRefusedError('unsigned', 'The list is not signed: it is a plain map.')
  const untagged = value instanceof Tagged && value.tag === TAG_COSE_SIGN1 ? value.value : value
  if (!isArray(untagged)) throw new ListRefusedError('malformed', 'The list is no COSE_Sign1.')
  return readSign1(untagged, options)
}

/** Runs a step that reads CBOR, and names its fault. */
function decoded<Value>(step: () => Value): Value {
  try {
    return step()
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error
    const check = error.message.includes('header') ? 'header' : checkOf(error.message)
    throw new ListRefusedError(check, `The list cannot be read: ${error.message}`, { cause: error })
  }
}

const checkOf = (message: string) =>
  message.includes('nested deeper') ? 'nested-too-deep' : message.includes('elements') ? 'too-large' : 'malformed'

function chainOf(sign1: Sign1) {
  const x5c = decoded(() => x5cOf(sign1, `${WHAT} header`))
  if (x5c === undefined) return []
  try {
    return readX5c(x5c)
  } catch (error) {
    if (!(error instanceof IssuerKeyError)) throw error
    throw new ListRefusedError('header', `The chain of the list's signer is refused: ${error.message}`, {
      cause: error,
    })
  }
}

function keyOf(key: { export(options: { format: 'jwk' }): Jwk }): Jwk {
  try {
    return key.export({ format: 'jwk' })
  } catch (cause) {
    throw new ListRefusedError('algorithm', 'The key of the signer is of no supported type.', { cause })
  }
}

function isSigned(sign1: Sign1, key: Jwk): boolean {
  try {
    verifySign1(sign1, { key, what: 'Signature' })
    return true
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error
    if (error.message.includes('does not fit the key')) {
      throw new ListRefusedError('algorithm', `${error.message}`, { cause: error })
    }
    return false
  }
}
