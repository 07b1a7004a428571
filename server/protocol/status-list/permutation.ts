import { type Cipher, createCipheriv } from 'node:crypto'
import { secretKey } from '../jose/secret-key.js'
import { STATUS_LIST_SIZE } from './bits.js'

/**
 * Luby and Rackoff prove that four rounds make a strong permutation. This permutation has more rounds, because its
 * domain is small.
 */
const ROUNDS = 8

/**
 * Spreads a counter over the indices of a list. For one key it is a bijection on [0, size); without the key it cannot
 * be distinguished from a random bijection. So the n-th credential gets a unique, unpredictable index (Token Status
 * List §13.2), and only a counter is stored. The permutation is a balanced Feistel network with AES-256 as its round
 * function. A result outside the list is permuted again until it lies inside (cycle walking).
 *
 * @param key 32 secret bytes, one key for each list.
 * @param counter 0 to size − 1.
 * @param size 2 to 2^30 entries.
 * @throws RangeError if key, counter or size are out of range.
 */
export function permuteIndex(key: Uint8Array, counter: number, size: number = STATUS_LIST_SIZE): number {
  if (key.length !== 32) throw new RangeError('The key of a permutation has 32 bytes.')
  if (!Number.isInteger(size) || size < 2 || size > 2 ** 30) throw new RangeError('A permutation has 2 to 2^30 values.')
  if (!Number.isInteger(counter) || counter < 0 || counter >= size) {
    throw new RangeError(`Counter ${counter} lies outside of the list.`)
  }
  // Every input is a single block, so ECB is just the block cipher: a pseudorandom function.
  const cipher = createCipheriv('aes-256-ecb', secretKey(key), null).setAutoPadding(false)
  const halfBits = Math.ceil(Math.log2(size) / 2)
  let index = counter
  do {
    index = feistel(cipher, index, halfBits)
  } while (index >= size)
  return index
}

function feistel(cipher: Cipher, value: number, halfBits: number): number {
  const mask = (1 << halfBits) - 1
  const block = Buffer.alloc(16)
  let left = value >> halfBits
  let right = value & mask
  for (let round = 0; round < ROUNDS; round++) {
    block.writeUInt8(round, 0)
    block.writeUInt8(halfBits, 1)
    block.writeUInt32BE(right, 2)
    const keyed = cipher.update(block).readUInt32BE(0) & mask
    const next = left ^ keyed
    left = right
    right = next
  }
  return ((left << halfBits) | right) >>> 0
}
