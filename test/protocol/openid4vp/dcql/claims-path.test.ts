import { describe, expect, it } from 'vitest'
import { selectByClaimsPath } from '../../../../server/protocol/openid4vp/dcql/claims-path.js'
import { requestWork } from '../../request-work.js'

describe('the claims path pointer (OpenID4VP 1.0 §7.1.1, the example of §7.3)', () => {
  const credential = {
    name: 'Arthur Dent',
    address: { street_address: '42 Market Street', locality: 'Milliways', postal_code: '12345' },
    degrees: [
      { type: 'Bachelor of Science', university: 'University of Betelgeuse' },
      { type: 'Master of Science', university: 'University of Betelgeuse' },
    ],
    nationalities: ['British', 'Betelgeusian'],
  }
  it.each([
    [['name'], ['Arthur Dent']],
    [['address'], [credential.address]],
    [['address', 'street_address'], ['42 Market Street']],
    [
      ['degrees', null, 'type'],
      ['Bachelor of Science', 'Master of Science'],
    ],
    [['nationalities', 1], ['Betelgeusian']],
    [
      ['nationalities', null],
      ['British', 'Betelgeusian'],
    ],
  ])('%j', (path, expected) => expect(selectByClaimsPath(path, credential, requestWork())).toEqual(expected))

  it.each([
    ['a key of a value that is not an object', ['name', 'x']],
    ['a key of an array', ['nationalities', 'length']],
    ['an index of an object', ['address', 0]],
    ['all elements of an object', ['address', null]],
    ['a key that is missing', ['missing']],
    ['a missing index', ['nationalities', 2]],
    ['an inherited key', ['constructor']],
    ['an inherited key', ['__proto__', 'toString']],
  ])('selects nothing by %s', (_, path) => expect(selectByClaimsPath(path, credential, requestWork())).toEqual([]))

  it('omits elements without the key, and stops at elements that are not objects', () => {
    expect(selectByClaimsPath(['a', null, 'b'], { a: [{ b: 1 }, {}, { b: 2 }] }, requestWork())).toEqual([1, 2])
    expect(selectByClaimsPath(['a', null, 'b'], { a: [{ b: 1 }, 'text'] }, requestWork())).toEqual([])
  })

  it('selects null, and own members with the names of members of Object.prototype', () => {
    const value: unknown = JSON.parse('{"a": null, "__proto__": {"b": 1}}')
    expect(selectByClaimsPath(['a'], value, requestWork())).toEqual([null])
    expect(selectByClaimsPath(['__proto__', 'b'], value, requestWork())).toEqual([1])
  })
})
