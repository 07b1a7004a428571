import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { secretKey } from '../../protocol/jose/secret-key.js'

/** Describes the transaction code that a wallet asks its user for (OpenID4VCI 1.0 §4.1.1 `tx_code`). */
export const zTxCodeRequest = z.union([
  z.literal(true),
  z.strictObject({
    input_mode: z.enum(['numeric', 'text']).optional(),
    length: z.int().min(4).max(32).optional(),
    description: z.string().max(300).optional(),
  }),
])

export interface TxCodeDescription {
  readonly input_mode: 'numeric' | 'text'
  readonly length: number
  readonly description?: string
}

export const TX_CODE_ATTEMPTS = 5

/** The error message of a session that ended after too many wrong transaction codes. */
export const TX_CODE_LOCKED = `The transaction code is locked after ${TX_CODE_ATTEMPTS} wrong attempts.`

const DEFAULT_LENGTH = 6
/** Excludes characters that look similar. */
const TEXT_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

export function describeTxCode(request: z.infer<typeof zTxCodeRequest>): TxCodeDescription {
  const { input_mode = 'numeric', length = DEFAULT_LENGTH, description } = request === true ? {} : request
  return { input_mode, length, ...(description === undefined ? {} : { description }) }
}

/** A random code. Every character is equally likely. */
export function newTxCode({ input_mode, length }: TxCodeDescription, random: (length: number) => Uint8Array): string {
  const alphabet = input_mode === 'numeric' ? '0123456789' : TEXT_ALPHABET
  const limit = 256 - (256 % alphabet.length)
  let code = ''
  while (code.length < length) {
    for (const byte of random(length)) {
      if (byte < limit && code.length < length) code += alphabet[byte % alphabet.length]
    }
  }
  return code
}

/** A keyed hash (MAC). A short code could be found from a plain hash by trying all codes. */
export function hashTxCode(key: Uint8Array, offeringId: string, code: string): string {
  return createHmac('sha256', secretKey(key)).update(`${offeringId}\n${code}`).digest('base64url')
}

export function txCodeMatches(key: Uint8Array, offeringId: string, code: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashTxCode(key, offeringId, code)), Buffer.from(hash))
}
