import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { CredentialError } from '../../../server/protocol/credential/verification.js'
import {
  bitstringBytes,
  bitstringValue,
  STATUS_LIST_SIZE,
  suspendableStatusBytes,
  tokenStatusBytes,
  tokenStatusValue,
} from '../../../server/protocol/status-list/bits.js'
import { expandBase64url, gzipBase64url, zlibBase64url } from '../../../server/protocol/status-list/compression.js'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('A Token Status List (§4.1)', () => {
  it('packs the standard’s example from the least significant bit: 0xB9 0xA3', () => {
    expect(hex(tokenStatusBytes([0, 3, 4, 5, 7, 8, 9, 13, 15], 16))).toBe('b9a3')
  })

  it('reads the standard’s example of two bits: 0xC9 0x44 0xF9', () => {
    const bytes = Buffer.from('c944f9', 'hex')
    const values = Array.from({ length: 12 }, (_, index) => tokenStatusValue(bytes, index, 2))
    expect(values).toEqual([1, 2, 0, 3, 0, 1, 0, 1, 1, 2, 3, 3])
    expect(tokenStatusValue(bytes, 12, 2)).toBeUndefined()
  })

  it('packs entries of two bits: INVALID for a revoked index, SUSPENDED for a suspended index (§7.1)', () => {
    const bytes = suspendableStatusBytes({ revokedIndices: [0, 6, 7], suspendedIndices: [1, 7, 4] }, 8)
    expect(hex(bytes)).toBe('0952')
    expect(Array.from({ length: 9 }, (_, index) => tokenStatusValue(bytes, index, 2))).toEqual(
      // An index that is both is revoked.
      [1, 2, 0, 0, 2, 0, 1, 1, undefined],
    )
    for (const wrong of [-1, 8]) {
      expect(() => suspendableStatusBytes({ revokedIndices: [wrong], suspendedIndices: [] }, 8)).toThrow(RangeError)
      expect(() => suspendableStatusBytes({ revokedIndices: [], suspendedIndices: [wrong] }, 8)).toThrow(RangeError)
    }
  })

  it('reads four and eight bits', () => {
    const bytes = Buffer.from('1fa0', 'hex')
    expect([0, 1, 2, 3, 4].map((index) => tokenStatusValue(bytes, index, 4))).toEqual([15, 1, 0, 10, undefined])
    expect([0, 1, 2].map((index) => tokenStatusValue(bytes, index, 8))).toEqual([0x1f, 0xa0, undefined])
  })
})

describe('A Bitstring Status List (v1.0 §2.2)', () => {
  it('has index 0 at the left-most bit and the last index at the right-most', () => {
    expect(hex(bitstringBytes([0, 9, 15], 16))).toBe('8041')
    expect(hex(bitstringBytes([], 8))).toBe('00')
  })

  it('reads entries of one and of several bits', () => {
    const bytes = Buffer.from('8041', 'hex')
    expect([0, 1, 9, 15, 16].map((index) => bitstringValue(bytes, index, 1))).toEqual([1, 0, 1, 1, undefined])
    expect([0, 1, 4, 5].map((index) => bitstringValue(bytes, index, 3))).toEqual([4, 0, 0, undefined])
    expect(bitstringValue(bytes, 0, 16)).toBe(0x8041)
  })
})

describe('Both lists', () => {
  it('refuse impossible sizes and indices', () => {
    for (const bytesOf of [bitstringBytes, tokenStatusBytes]) {
      for (const size of [0, -8, 12, 8.5]) expect(() => bytesOf([], size)).toThrow(RangeError)
      for (const index of [-1, 8, 1.5, Number.NaN]) expect(() => bytesOf([index], 8)).toThrow(RangeError)
    }
  })

  it('accept an index twice without other changes', () => {
    expect(hex(tokenStatusBytes([1, 1], 8))).toBe('02')
    expect(hex(bitstringBytes([1, 1], 8))).toBe('40')
  })
})

describe('Compression', () => {
  it('makes and reads the standards’ encodings', () => {
    const empty = new Uint8Array(STATUS_LIST_SIZE / 8)
    // Bitstring Status List v1.0 §2.2, example, without its multibase prefix.
    const w3c = 'H4sIAAAAAAAAA-3BMQEAAADCoPVPbQwfoAAAAAAAAAAAAAAAAAAAAIC3AYbSVKsAQAAA'
    expect(expandBase64url(w3c, 'gzip')).toEqual(Buffer.from(empty))
    expect(expandBase64url(gzipBase64url(empty), 'gzip')).toEqual(Buffer.from(empty))
    // Token Status List §4.1: compressed array of the example of one bit.
    const ietf = Buffer.from('78dadbb918000217015d', 'hex').toString('base64url')
    expect(hex(expandBase64url(ietf, 'zlib'))).toBe('b9a3')
    expect(zlibBase64url(Buffer.from('b9a3', 'hex'))).toBe(ietf)
  })

  it('never expands a compression bomb beyond the limit', () => {
    const bomb = Buffer.alloc(64 * 1024 * 1024)
    const refusal = new CredentialError('Status list expands to more than 2097152 bytes.')
    expect(() => expandBase64url(deflateSync(bomb).toString('base64url'), 'zlib')).toThrow(refusal)
    expect(() => expandBase64url(gzipBase64url(bomb), 'gzip')).toThrow(refusal)
    const largest = Buffer.alloc(2 * 1024 * 1024)
    expect(expandBase64url(zlibBase64url(largest), 'zlib')).toHaveLength(largest.length)
  })

  it.each([
    ['AA=', 'gzip', 'Status list is not base64url.'],
    ['A A', 'zlib', 'Status list is not base64url.'],
    ['', 'zlib', 'Status list is not zlib data.'],
    ['AAAA', 'gzip', 'Status list is not gzip data.'],
    ['eNrbuRgAAhcBXQ', 'gzip', 'Status list is not gzip data.'],
    ['eNrbuRgA', 'zlib', 'Status list is not zlib data.'],
  ] as const)('refuses %j as %s', (text, format, message) => {
    expect(() => expandBase64url(text, format)).toThrow(new CredentialError(message))
  })
})
