import { expect, it } from 'vitest'
import { OAuthError } from '../../../server/protocol/oauth/error.js'
import { assertRequestTimes } from '../../../server/protocol/openid4vci/encryption.js'

const NOW = 1_800_000_000
const at = (claims: object) => assertRequestTimes({ ...claims }, new Date(NOW * 1000))

it('an encrypted request is valid from its nbf until its exp, with a leeway of a minute (RFC 7519 §4.1.4, §4.1.5)', () => {
  expect(at({})).toBeUndefined()
  expect(at({ exp: NOW - 59, nbf: NOW + 60 })).toBeUndefined()
  // The request is not accepted at exp or later.
  for (const claims of [{ exp: NOW - 60 }, { nbf: NOW + 61 }, { exp: String(NOW + 60) }, { nbf: null }])
    expect(() => at(claims), JSON.stringify(claims)).toThrow(OAuthError)
})
