import { describe, expect, it } from 'vitest'
import { didWebFromUrl, didWebToUrl } from '../../../server/protocol/did/did-web.js'
import { DidResolutionError } from '../../../server/protocol/did/resolve-did.js'

const UUID = '0c7e3d0e-1c1f-4d8e-9b1a-2f4e6a8c0d1e'

describe('didWebToUrl (did:web Method, "Read (Resolve)")', () => {
  it.each([
    ['did:web:w3c-ccg.github.io', 'https://w3c-ccg.github.io/.well-known/did.json'],
    ['did:web:w3c-ccg.github.io:user:alice', 'https://w3c-ccg.github.io/user/alice/did.json'],
    ['did:web:example.com%3A3000:user:alice', 'https://example.com:3000/user/alice/did.json'],
    ['did:web:example.com%3a3000', 'https://example.com:3000/.well-known/did.json'],
    ['did:web:Example.COM', 'https://example.com/.well-known/did.json'],
    [`did:web:example.com:${UUID}`, `https://example.com/${UUID}/did.json`],
    ['did:web:example.com:a%C3%A9b', 'https://example.com/a%C3%A9b/did.json'],
    ['did:web:xn--bcher-kva.example', 'https://xn--bcher-kva.example/.well-known/did.json'],
  ])('reads %s at %s', (did, url) => {
    expect(didWebToUrl(did, { allowHttp: false })).toBe(url)
  })

  it('uses http only in development, and only for hosts that are not public', () => {
    const read = (did: string, allowHttp: boolean) => didWebToUrl(did, { allowHttp })
    expect(read('did:web:localhost%3A3000:a', false)).toBe('https://localhost:3000/a/did.json')
    expect(read('did:web:localhost%3A3000:a', true)).toBe('http://localhost:3000/a/did.json')
    expect(read('did:web:issuer:a', true)).toBe('http://issuer/a/did.json')
    expect(read('did:web:127.0.0.1%3A3000:a', true)).toBe('http://127.0.0.1:3000/a/did.json')
    expect(read('did:web:example.com:a', true)).toBe('https://example.com/a/did.json')
  })

  it.each([
    ['another method', 'did:key:z6Mk'],
    ['a DID URL', 'did:web:example.com#key'],
    ['a path of the DID URL', 'did:web:example.com/admin'],
    ['an IP address', 'did:web:127.0.0.1'],
    ['an IP address in other notation', 'did:web:2130706433'],
    ['an IP address in hexadecimal', 'did:web:0x7f.1'],
    ['an IPv6 address', 'did:web:%5B%3A%3A1%5D'],
    ['a user name', 'did:web:user%40example.com'],
    ['a user name before the host', 'did:web:example.com%40evil.example'],
    ['a password', 'did:web:user%3Asecret%40example.com'],
    ['a slash in the host', 'did:web:example.com%2Fadmin'],
    ['a backslash in the host', 'did:web:example.com%5Cadmin'],
    ['a query in the host', 'did:web:example.com%3Fa'],
    ['a fragment in the host', 'did:web:example.com%23a'],
    ['a port that is not a number', 'did:web:example.com%3Aabc'],
    ['a port that is none', 'did:web:example.com%3A99999'],
    ['a second port', 'did:web:example.com%3A80%3A81'],
    ['an empty label', 'did:web:example..com'],
    ['a host without end', `did:web:${'a.'.repeat(130)}com`],
    ['a leading dot', 'did:web:.example.com'],
    ['a trailing dot', 'did:web:example.com.'],
    ['a leading hyphen', 'did:web:-example.com'],
    ['a twice encoded host', 'did:web:example.com%252Fa'],
    ['an empty segment', 'did:web:example.com::a'],
    ['a dot segment', 'did:web:example.com:.:a'],
    ['a double dot segment', 'did:web:example.com:..:a'],
    ['an encoded double dot segment', 'did:web:example.com:%2e%2e:a'],
    ['an encoded slash', 'did:web:example.com:a%2Fb'],
    ['an encoded traversal', 'did:web:example.com:%2e%2e%2Fadmin'],
    ['an encoded backslash', 'did:web:example.com:a%5Cb'],
    ['an encoded query', 'did:web:example.com:a%3Fb'],
    ['an encoded fragment', 'did:web:example.com:a%23b'],
    ['an encoded percent sign', 'did:web:example.com:%252e%252e'],
    ['an encoded colon', 'did:web:example.com:a%3Ab'],
    ['a line break', 'did:web:example.com:a%0d%0aHost:x'],
    ['a zero octet', 'did:web:example.com:a%00'],
    ['octets that are not UTF-8', 'did:web:example.com:%ff'],
  ])('refuses %s', (_, did) => {
    expect(() => didWebToUrl(did, { allowHttp: false })).toThrow(DidResolutionError)
  })
})

describe('didWebFromUrl', () => {
  it.each([
    ['https://issuer.example', `did:web:issuer.example:${UUID}`],
    ['http://localhost:3000', `did:web:localhost%3A3000:${UUID}`],
    ['https://issuer.example/', `did:web:issuer.example:${UUID}`],
    ['https://issuer.example:8443/tenants/acme', `did:web:issuer.example%3A8443:tenants:acme:${UUID}`],
    ['https://issuer.example:443', `did:web:issuer.example:${UUID}`],
    ['https://issuer.example/a~b', `did:web:issuer.example:a%7Eb:${UUID}`],
  ])('of %s is %s', (baseUrl, did) => {
    expect(didWebFromUrl(baseUrl, UUID)).toBe(did)
  })

  it.each(['https://issuer.example', 'https://issuer.example:8443/tenants/acme', 'https://issuer.example/a~b'])(
    'converts back to a DID for the address below %s',
    (baseUrl) => {
      expect(didWebToUrl(didWebFromUrl(baseUrl, UUID), { allowHttp: false })).toBe(`${baseUrl}/${UUID}/did.json`)
    },
  )

  it('refuses a host that did:web cannot express', () => {
    expect(() => didWebFromUrl('http://[::1]:3000', UUID)).toThrow(TypeError)
  })
})
