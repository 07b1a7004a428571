import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { CredentialError } from '../../../server/protocol/credential/verification.js'
import type { JsonObject } from '../../../server/protocol/json/json-object.js'
import { processDisclosures } from '../../../server/protocol/sd-jwt-vc/disclosures.js'
import { disclosure, sha256 } from './actors.js'

const refused = (payload: JsonObject, disclosures: string[], message: string) =>
  expect(() => processDisclosures(payload, disclosures)).toThrow(new CredentialError(message))

const MALFORMED = 'Credential holds a disclosure that is not base64url of a JSON array [salt, name, value].'

describe('Processing disclosures (RFC 9901 §7.1, steps 3 to 5)', () => {
  it('gives the result of the example for an object property in §4.2.1 and §4.2.4.1', () => {
    const familyName = 'WyJfMjZiYzRMVC1hYzZxMktJNmNCVzVlcyIsICJmYW1pbHlfbmFtZSIsICJNw7ZiaXVzIl0'
    const payload = { given_name: 'Alice', _sd: ['X9yH0Ajrdm1Oij4tWso9UzzKJvPoDxwmuEcO3XAdRC0'] }
    expect(processDisclosures(payload, [familyName])).toEqual({
      claims: { given_name: 'Alice', family_name: 'Möbius' },
      placedClaims: { given_name: 'Alice', family_name: 'Möbius' },
      disclosed: [{ path: ['family_name'], value: 'Möbius', disclosure: familyName }],
    })
  })

  it('gives the result of the example for an array element in §4.2.2 and §4.2.4.2, disclosed and withheld', () => {
    const element = 'WyJsa2x4RjVqTVlsR1RQVW92TU5JdkNBIiwgIkZSIl0'
    const payload = { nationalities: ['DE', { '...': 'w0I8EKcdCtUPkGCNUrfwVp2xEgNjtoIDlOxc9-PlOhs' }, 'US'] }
    expect(processDisclosures(payload, [element]).claims).toEqual({ nationalities: ['DE', 'FR', 'US'] })
    expect(processDisclosures(payload, [element]).disclosed).toEqual([
      { path: ['nationalities', 1], value: 'FR', disclosure: element },
    ])
    expect(processDisclosures(payload, []).claims).toEqual({ nationalities: ['DE', 'US'] })
    expect(processDisclosures(payload, []).placedClaims).toEqual({ nationalities: ['DE', undefined, 'US'] })
  })

  it('puts recursive disclosures in their places, in any order (§4.2.6)', () => {
    const street = disclosure('s1', 'street', 'Schulstr. 12')
    const address = disclosure('s2', 'address', { city: 'Schulpforta', _sd: [sha256(street)] })
    const payload = { _sd: [sha256(address)], _sd_alg: 'sha-256' }
    const whole = { address: { city: 'Schulpforta', street: 'Schulstr. 12' } }
    expect(processDisclosures(payload, [street, address]).claims).toEqual(whole)
    expect(processDisclosures(payload, [address]).claims).toEqual({ address: { city: 'Schulpforta' } })
    expect(processDisclosures(payload, [street, address]).disclosed.map(({ path }) => path)).toEqual([
      ['address'],
      ['address', 'street'],
    ])
  })

  it('ignores decoys and returns an empty object if nothing was disclosed (step 3.5)', () => {
    expect(
      processDisclosures({ address: { _sd: [sha256('decoy')] }, list: [{ '...': sha256('other') }] }, []).claims,
    ).toEqual({
      address: {},
      list: [],
    })
  })

  it.each(['sha-256', 'sha-384', 'sha-512'])('supports _sd_alg %s (§4.1.1)', (name) => {
    const claim = disclosure('salt', 'a', 1)
    const digest = createHash(name.replace('-', '')).update(claim).digest('base64url')
    expect(processDisclosures({ _sd: [digest], _sd_alg: name }, [claim]).claims).toEqual({ a: 1 })
  })

  it.each(['sha-1', 'md5', 'sha-256-32', 'SHA-256', 'sha3-256', 7, null, 'constructor'])(
    'refuses _sd_alg %s',
    (name) => {
      refused({ _sd_alg: name === null ? [] : name }, [], 'Credential _sd_alg is none of sha-256, sha-384, sha-512.')
    },
  )

  it('treats __proto__ as a claim', () => {
    const claim = disclosure('salt', '__proto__', { admin: true })
    const { claims } = processDisclosures({ _sd: [sha256(claim)] }, [claim])
    expect(Object.getPrototypeOf(claims)).toBe(Object.prototype)
    expect(Object.keys(claims)).toEqual(['__proto__'])
    expect(claims).not.toHaveProperty('admin')
  })

  describe('refuses', () => {
    const claim = disclosure('salt', 'a', 1)

    it('an added disclosure', () => {
      const added = disclosure('salt', 'admin', true)
      refused({ _sd: [sha256(claim)] }, [claim, added], 'Credential brings a disclosure whose digest it does not hold.')
    })

    it('a changed disclosure', () => {
      const changed = disclosure('salt', 'a', 2)
      refused({ _sd: [sha256(claim)] }, [changed], 'Credential brings a disclosure whose digest it does not hold.')
    })

    it('a nested disclosure whose parent was withheld', () => {
      const parent = disclosure('salt', 'address', { _sd: [sha256(claim)] })
      refused({ _sd: [sha256(parent)] }, [claim], 'Credential brings a disclosure whose digest it does not hold.')
    })

    it('a disclosure that comes twice', () => {
      refused({ _sd: [sha256(claim)] }, [claim, claim], 'Credential brings a disclosure twice.')
    })

    it.each([
      ['in one array', (digest: string) => ({ _sd: [digest, digest] })],
      ['on two levels', (digest: string) => ({ _sd: [digest], nested: { _sd: [digest] } })],
      ['in an object and in an array', (digest: string) => ({ _sd: [digest], list: [{ '...': digest }] })],
    ])('a digest that is present twice %s, disclosed or not (step 4)', (_, payload) => {
      refused(payload(sha256(claim)), [], 'Credential holds a digest more than once.')
      expect(() => processDisclosures(payload(sha256(claim)), [claim])).toThrow(CredentialError)
    })

    it('a digest that is present twice through another disclosure', () => {
      const parent = disclosure('salt', 'address', { _sd: [sha256(claim)] })
      refused({ _sd: [sha256(parent), sha256(claim)] }, [parent, claim], 'Credential holds a digest more than once.')
    })

    it.each(['_sd', '...', '_sd_alg'])('a disclosed claim named %s (step 3.3.2.2)', (name) => {
      const hidden = disclosure('salt', name, ['x'])
      refused({ _sd: [sha256(hidden)] }, [hidden], `Credential discloses a claim named "${name}".`)
    })

    it('a disclosed claim that already exists, signed or disclosed (step 3.3.2.3)', () => {
      const other = disclosure('pepper', 'a', 2)
      refused({ a: 0, _sd: [sha256(claim)] }, [claim], 'Credential discloses the claim a that is there already.')
      refused(
        { _sd: [sha256(claim), sha256(other)] },
        [claim, other],
        'Credential discloses the claim a that is there already.',
      )
    })

    it('a member in an element’s place, and an element in a member’s place (steps 3.3.2.1, 3.3.3.1)', () => {
      const element = disclosure('salt', 'FR')
      refused(
        { list: [{ '...': sha256(claim) }] },
        [claim],
        'Credential brings a member where an array element is due.',
      )
      refused({ _sd: [sha256(element)] }, [element], 'Credential brings an array element where a member is due.')
    })

    it.each([
      ['nothing', ''],
      ['broken base64url', 'WyJzIiwi!'],
      ['padding', `${disclosure('salt', 'ab', 1)}=`],
      ['bits beyond the last octet', disclosure('s', 'a').replace(/.$/, 'R')],
      ['no JSON', Buffer.from('["s", "a"').toString('base64url')],
      ['no UTF-8', Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x2c, 0x31, 0x5d]).toString('base64url')],
      ['no array', Buffer.from('{"0":"s","1":"a","2":1,"length":3}').toString('base64url')],
      ['one element', disclosure('s')],
      ['four elements', disclosure('s', 'a', 1, 2)],
      ['a salt that is not a string', disclosure(1, 'a', 1)],
      ['a name that is not a string', disclosure('s', 1, 1)],
    ])('a disclosure that is malformed: %s (§4.2.1)', (_, malformed) => {
      refused({ _sd: [sha256(malformed)] }, [malformed], MALFORMED)
    })

    it.each([
      [{ _sd: 'digest' }, 'Credential has an _sd that is not an array of strings.'],
      [{ a: { _sd: { 0: 'digest' } } }, 'Credential has an _sd that is not an array of strings.'],
      [{ _sd: [7] }, 'Credential holds a digest that is not a string.'],
      [{ list: [{ '...': 7 }] }, 'Credential holds a digest that is not a string.'],
      [{ list: [{ '...': 'digest', other: 1 }] }, 'Credential payload misuses the name "...".'],
      [{ a: { '...': 'digest' } }, 'Credential payload misuses the name "...".'],
      [{ a: { _sd_alg: 'sha-256' } }, 'Credential payload misuses the name "_sd_alg".'],
    ])('a payload that misuses the names of the standard: %j', (payload, message) => {
      refused(payload, [], message)
    })

    it('a payload with so many levels that reading it would exhaust the stack', () => {
      const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)
      refused(deep, [], 'Credential is nested deeper than 64 levels.')
    })
  })
})
