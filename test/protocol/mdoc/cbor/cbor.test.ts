import { describe, expect, it } from 'vitest'
import { CredentialError } from '../../../../server/protocol/credential/verification.js'
import { decodeCbor, ElementBudget, sourceOf } from '../../../../server/protocol/mdoc/cbor/decode.js'
import { encodeCbor, encodeEmbedded } from '../../../../server/protocol/mdoc/cbor/encode.js'
import { type CborValue, Tagged } from '../../../../server/protocol/mdoc/cbor/values.js'

const bytes = (hex: string) => Buffer.from(hex, 'hex')
const decode = (hex: string) => decodeCbor(bytes(hex), { what: 'Credential' })
const hexOf = (value: CborValue) => Buffer.from(encodeCbor(value)).toString('hex')
const map = (...pairs: [string | number, CborValue][]) => new Map(pairs)

// The examples of RFC 8949 Appendix A for data that mobile documents use.
const EXAMPLES: readonly (readonly [string, CborValue])[] = [
  ['00', 0],
  ['17', 23],
  ['1818', 24],
  ['1864', 100],
  ['1903e8', 1000],
  ['1a000f4240', 1000000],
  ['1b000000e8d4a51000', 1000000000000],
  ['1bffffffffffffffff', 18446744073709551615n],
  ['3bffffffffffffffff', -18446744073709551616n],
  ['20', -1],
  ['29', -10],
  ['3863', -100],
  ['3903e7', -1000],
  ['fb3ff199999999999a', 1.1],
  ['fbc010666666666666', -4.1],
  ['f4', false],
  ['f5', true],
  ['f6', null],
  ['f7', undefined],
  ['c074323031332d30332d32315432303a30343a30305a', new Tagged(0, '2013-03-21T20:04:00Z')],
  ['d818456449455446', new Tagged(24, bytes('6449455446'))],
  ['40', bytes('')],
  ['4401020304', bytes('01020304')],
  ['60', ''],
  ['6449455446', 'IETF'],
  ['62c3bc', 'ü'],
  ['64f0908591', '𐅑'],
  ['80', []],
  ['8301820203820405', [1, [2, 3], [4, 5]]],
  ['98190102030405060708090a0b0c0d0e0f101112131415161718181819', [...Array(25).keys()].map((index) => index + 1)],
  ['a0', map()],
  ['a201020304', map([1, 2], [3, 4])],
  ['a26161016162820203', map(['a', 1], ['b', [2, 3]])],
  ['826161a161626163', ['a', map(['b', 'c'])]],
]

describe('CBOR (RFC 8949)', () => {
  it.each(EXAMPLES)('%s of Appendix A is read and written', (hex, value) => {
    expect(decode(hex)).toEqual(value)
    expect(hexOf(value)).toBe(hex)
  })

  it.each([
    ['f90000', 0],
    ['f93c00', 1],
    ['f93e00', 1.5],
    ['f97bff', 65504],
    ['f90001', 2 ** -24],
    ['f9c400', -4],
    ['f97c00', Number.POSITIVE_INFINITY],
    ['f97e00', Number.NaN],
    ['f9fc00', Number.NEGATIVE_INFINITY],
    ['fa47c35000', 100000],
    ['fb7e37e43c8800759c', 1e300],
    ['1817', 23],
    ['1b0000000000000001', 1],
    ['590001ff', bytes('ff')],
  ])('%s is read as %s, which has another encoding when written', (hex, value) => {
    expect(decode(hex)).toEqual(value)
  })

  it.each([0, 22, 23, 254, 255, 500, 65_533, 65_534, 200_000])(
    'an item around a text of %i characters is embedded in a byte string (§3.4.5.1)',
    (length) => {
      const text = 'x'.repeat(length)
      expect(Buffer.compare(encodeEmbedded(text), encodeCbor(new Tagged(24, encodeCbor(text))))).toBe(0)
    },
  )

  it('keeps the received bytes of an item', () => {
    const item = decode('82d81859000141a1186101')
    expect(item).toEqual([new Tagged(24, bytes('41')), map([0x61, 1])])
    const [tagged, object] = item as CborValue[]
    expect(sourceOf(tagged)).toEqual(bytes('d81859000141'))
    expect(sourceOf(object)).toEqual(bytes('a1186101'))
  })
})

const nested = (levels: number) => `${'81'.repeat(levels)}00`

describe('The CBOR of other parties has limits', () => {
  const refused = (input: Uint8Array, reason: string) =>
    expect(() => decodeCbor(input, { what: 'Credential' })).toThrow(
      new CredentialError(`Credential is not acceptable CBOR: ${reason}.`),
    )

  it.each([
    ['nothing', '', 'it ends too early'],
    ['a head without its argument', '19ff', 'it ends too early'],
    ['a string that ends early', '43ffff', 'it ends too early'],
    ['a string of 2^64 bytes', '5bffffffffffffffff00', 'it ends too early'],
    ['an array that ends early', '8201', 'it ends too early'],
    ['bytes behind it', '0000', 'bytes stand behind it'],
    ['a string of indefinite length', '5f4100ff', 'an indefinite length'],
    ['a text of indefinite length', '7f6100ff', 'an indefinite length'],
    ['an array of indefinite length', '9f00ff', 'an indefinite length'],
    ['a map of indefinite length', 'bf0000ff', 'an indefinite length'],
    ['a break without a beginning', 'ff', 'an indefinite length'],
    ['a reserved length', '1c', 'a reserved length'],
    ['a key twice', 'a2616100616101', 'a map key stands twice'],
    ['a key twice in two encodings', 'a20100180101', 'a map key stands twice'],
    ['a key that is bytes', 'a1410000', 'a map key is neither text nor an integer'],
    ['a key that is a float, even with a whole value', 'a1f93c0000', 'a map key is neither text nor an integer'],
    ['a key that is an integer under a tag', 'a1c00100', 'a map key is neither text nor an integer'],
    ['a key that is a map', 'a1a000', 'a map key is neither text nor an integer'],
    ['a text that is not UTF-8', '61ff', 'a text is not UTF-8'],
    ['a lone surrogate in UTF-8', '63eda080', 'a text is not UTF-8'],
    ['an unknown simple value', 'f0', 'a simple value that is not known'],
    ['a simple value in two bytes', 'f8ff', 'a simple value that is not known'],
    ['an array of 4,097 elements, before they have arrived', '991001', 'more than 4096 elements'],
    ['an array of 2^32 elements', '9affffffff', 'more than 4096 elements'],
    ['a map of 2^32 pairs', 'baffffffff', 'more than 4096 elements'],
    ['33 levels of arrays', nested(33), 'nested deeper than 32 levels'],
    ['33 levels of tags', `${'c0'.repeat(33)}00`, 'nested deeper than 32 levels'],
  ])('%s is refused', (_, hex, reason) => refused(bytes(hex), reason))

  it('more than 1 MiB is refused before it is read', () => {
    refused(Buffer.alloc(1_048_577), 'longer than 1048576 bytes')
  })

  it('elements are counted over the whole data, including encoded parts', () => {
    const row = `9903ff${'00'.repeat(1_023)}`
    expect(decode(`84${row.repeat(4)}`)).toHaveLength(4)
    refused(bytes(`85${row.repeat(5)}`), 'more than 4096 elements')
    const shared = { what: 'Credential', budget: new ElementBudget() }
    for (let turn = 0; turn < 4; turn += 1) decodeCbor(bytes(row), shared)
    expect(() => decodeCbor(bytes(row), shared)).toThrow('more than 4096 elements')
  })

  it('CBOR within the limits is read', () => {
    expect(decode(nested(32))).toHaveLength(1)
    expect(decodeCbor(encodeCbor(Array(4_096).fill(0)), { what: 'Credential' })).toHaveLength(4_096)
  })
})
