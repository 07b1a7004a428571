const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const DIGITS = new Map([...ALPHABET].map((character, digit) => [character, digit]))

// Limit of characters, because the cost of a conversion grows with the square of the length. A key of 4096 bits needs
// about 720 characters, or about 1000 as a JWK.
const MAX_LENGTH = 1024

/**
 * Encodes octets in base 58 with Bitcoin's alphabet (draft-msporny-base58); each leading zero octet is a leading `1`.
 */
export function encodeBase58btc(octets: Uint8Array): string {
  const digits = convert(octets, 256, 58)
  return '1'.repeat(leadingZeros(octets)) + digits.map((digit) => ALPHABET.charAt(digit)).join('')
}

/**
 * Decodes base 58 with Bitcoin's alphabet. Undefined for a text with a different character, or with more than 1024
 * characters.
 */
export function decodeBase58btc(text: string): Uint8Array | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const digits: number[] = []
  for (const character of text) {
    const digit = DIGITS.get(character)
    if (digit === undefined) return undefined
    digits.push(digit)
  }
  return Uint8Array.from([...new Array<number>(leadingZeros(digits)).fill(0), ...convert(digits, 58, 256)])
}

/**
 * Converts the digits of a number from one base to another base. The most significant digit is first, and there are no
 * leading zeros.
 */
function convert(digits: Iterable<number>, from: number, to: number): number[] {
  const converted: number[] = []
  for (const digit of digits) {
    let carry = digit
    for (const [index, value] of converted.entries()) {
      carry += value * from
      converted[index] = carry % to
      carry = Math.floor(carry / to)
    }
    for (; carry > 0; carry = Math.floor(carry / to)) converted.push(carry % to)
  }
  return converted.reverse()
}

function leadingZeros(digits: Iterable<number>): number {
  let zeros = 0
  for (const digit of digits) {
    if (digit !== 0) return zeros
    zeros += 1
  }
  return zeros
}
