import { describe, expect, it } from 'vitest'
import {
  isForeignRedirectUri,
  isPublicClientRedirectUri,
  isRedirectUri,
  isRegistrableRedirectUri,
  isWebOrigin,
  zWalletUrl,
} from '../../../server/protocol/oauth/redirect-uri.js'
import { TWO_READINGS } from '../../support/two-readings.js'

const predicates: readonly (readonly [string, (uri: string) => boolean])[] = [
  ['of a verifier', (uri) => isRedirectUri(uri, true)],
  ['of an unregistered wallet', (uri) => isPublicClientRedirectUri(uri, true)],
  ['of a registered wallet', isRegistrableRedirectUri],
  ['of another verifier’s answer', isForeignRedirectUri],
  ['that opens one wallet', (uri) => zWalletUrl.safeParse(uri).success],
]

const secure = predicates.slice(-1)
const plain = predicates.slice(0, -1)

describe.each(predicates)('an address %s', (_, isTaken) => {
  // RFC 9110 §4.2: "//" and a host; §4.2.4: no user information.
  it.each([...TWO_READINGS, ...TWO_READINGS.map((uri) => uri.replace(/^https:/, 'http:'))])('is not %j', (uri) => {
    expect(isTaken(uri)).toBe(false)
  })

  it.each(['ftp:evil.example', 'ws:evil.example', 'filesystem:https://a.example/x', 'view-source:https://a.example'])(
    'is not %j, which a browser reads in another way',
    (uri) => expect(isTaken(uri)).toBe(false),
  )

  it.each([
    'https://shop.example',
    'https://shop.example/return?to=https:next',
    'HTTPS://Shop.Example:8443/a@b',
    'https://shop.example?mail=a@b.example',
    'https://[2001:DB8::0:1]:443/x',
    'https://xn--bcher-kva.example/',
    'https://192.0.2.7/x',
    'com.example.app:/done',
    'com.example.app://done',
  ])('may be %s', (uri) => expect(isTaken(uri)).toBe(true))
})

it.each(plain)('an address %s may use http if that is allowed', (_, isTaken) => {
  expect(isTaken('http://localhost:3000/return')).toBe(true)
})

it.each(secure)('an address %s may never use http', (_, isTaken) => {
  expect(isTaken('http://localhost:3000/return')).toBe(false)
})

it('an origin in another spelling is refused', () => {
  for (const text of [...TWO_READINGS, 'https://Shop.example', 'https://shop.example/'])
    expect(isWebOrigin(text)).toBe(false)
  expect(isWebOrigin('https://shop.example:8443')).toBe(true)
})
