import { describe, expect, it } from 'vitest'
import { decodeCompact } from '../../../server/protocol/jose/jws.js'

const base64url = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

const malformed = expect.objectContaining({ name: 'JwsError', code: 'malformed' })

describe('decodeCompact', () => {
  const header = base64url({ alg: 'ES256' })
  const payload = base64url({ iss: 'joe' })

  it('decodes without verifying', () => {
    expect(decodeCompact(`${header}.${payload}.AAAA`)).toEqual({
      header: { alg: 'ES256' },
      payload: { iss: 'joe' },
      signingInput: `${header}.${payload}`,
      signature: Buffer.from([0, 0, 0]),
    })
  })

  it.each([
    ['two segments', `${header}.${payload}`],
    ['four segments', `${header}.${payload}.AAAA.AAAA`],
    ['a trailing dot', `${header}.${payload}.AAAA.`],
    ['five segments, as of a JWE', `${header}.${payload}.AAAA.AAAA.AAAA`],
    ['nothing', ''],
    ['padding', `${header}=.${payload}.AAAA`],
    ['the alphabet of base64', `${header}.${payload}.AA+/`],
    ['white space', `${header}.${payload}.AAAA\n`],
    ['an impossible length', `${header}.${payload}.AAAAA`],
    ['trailing bits that no encoder sets', `${header}.${payload}.AAB`],
    ['more trailing bits that no encoder sets', `${header}.${payload}.AB`],
    ['a header that is not JSON', `${base64url('{')}.${payload}.AAAA`],
    ['a header that is an array', `${base64url([])}.${payload}.AAAA`],
    ['a payload that is null', `${header}.${base64url('null')}.AAAA`],
    ['a payload that is a string', `${header}.${base64url('"joe"')}.AAAA`],
    ['octets that are not UTF-8', `${header}.${Buffer.from('{"a":"\xff"}', 'latin1').toString('base64url')}.AAAA`],
    ['a byte order mark', `${header}.${base64url('\ufeff{}')}.AAAA`],
    ['more than 256 KiB', `${header}.${base64url({ pad: 'x'.repeat(256 * 1024) })}.AAAA`],
  ])('refuses %s', (_, compact) => {
    expect(() => decodeCompact(compact)).toThrow(malformed)
  })

  it.each([
    ['an unknown extension', { crit: ['exp'], exp: 1 }],
    ['an empty list', { crit: [] }],
    ['a repeated name', { crit: ['b64', 'b64'], b64: true }],
    ['an unencoded payload (RFC 7797)', { crit: ['b64'], b64: false }],
    ['b64 without crit', { b64: false }],
    ['crit null', { crit: null }],
  ])('refuses critical extensions (RFC 7515 §4.1.11): %s', (_, extra) => {
    const compact = `${base64url({ alg: 'ES256', ...extra })}.${payload}.AAAA`
    expect(() => decodeCompact(compact)).toThrow(malformed)
  })
})
