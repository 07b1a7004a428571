import { describe, expect, it } from 'vitest'
import { didOf, isDid, parseDidUrl } from '../../../server/protocol/did/did-url.js'

describe('isDid (DID Core 1.0 §3.1)', () => {
  it.each([
    'did:example:123456789abcdefghi',
    'did:web:localhost%3A3000:0c7e3d0e-0000-4000-8000-000000000000',
    'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp',
    'did:a:b',
    'did:example::b',
    'did:ethr:0x1:0xb6665128eE91D84590f70c3268765384A9CAfBCd',
  ])('accepts %s', (did) => {
    expect(isDid(did)).toBe(true)
  })

  it.each<[unknown]>([
    ['did:example:123#key'],
    ['did:example:123/path'],
    ['did:example:123?versionId=1'],
    ['did:example:'],
    ['did:example:a:'],
    ['did::123'],
    ['did:Example:123'],
    ['DID:example:123'],
    ['urn:example:123'],
    ['https://example.com'],
    ['did:example:a b'],
    ['did:example:a\n'],
    ['did:example:%zz'],
    ['did:example:é'],
    [' did:example:123'],
    [`did:example:${'a'.repeat(4096)}`],
    [''],
    [undefined],
    [null],
    [5],
    [['did:example:123']],
  ])('refuses %j', (value) => {
    expect(isDid(value)).toBe(false)
  })

  it('answers at once for a text that is meant to be slow', () => {
    expect(isDid(`did:example:${'%41:'.repeat(1000)}!`)).toBe(false)
  })
})

describe('parseDidUrl (DID Core 1.0 §3.2)', () => {
  it('splits a DID URL into its parts', () => {
    expect(parseDidUrl('did:example:123:abc/path/a?service=x&y#key-1')).toEqual({
      did: 'did:example:123:abc',
      method: 'example',
      methodSpecificId: '123:abc',
      path: '/path/a',
      query: 'service=x&y',
      fragment: 'key-1',
    })
    expect(parseDidUrl('did:example:123#')).toEqual({
      did: 'did:example:123',
      method: 'example',
      methodSpecificId: '123',
      fragment: '',
    })
  })

  it('allows no second fragment', () => {
    expect(parseDidUrl('did:example:123#a#b')).toBeUndefined()
  })
})

describe('didOf', () => {
  it('is the DID of a kid', () => {
    expect(didOf('did:example:123#key-1')).toBe('did:example:123')
    expect(didOf('did:example:123')).toBe('did:example:123')
    expect(didOf('#0')).toBeUndefined()
    expect(didOf('key-1')).toBeUndefined()
  })
})
