import { CompactEncrypt, importJWK } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Jwk } from '../../../server/protocol/jose/jws.js'
import { readAuthorizationResponse } from '../../../server/protocol/openid4vp/authorization-response.js'
import {
  decryptResponse,
  generateResponseKey,
  responsePublicKey,
} from '../../../server/protocol/openid4vp/response-encryption.js'
import { ResponseError } from '../../../server/protocol/openid4vp/response-error.js'

const STATE = 'state-of-the-request'

let key: Jwk

beforeAll(() => {
  key = generateResponseKey()
})

async function jwe(
  plaintext: string,
  { to = responsePublicKey(key), header = {} }: { to?: Jwk; header?: Record<string, unknown> } = {},
): Promise<string> {
  return new CompactEncrypt(Buffer.from(plaintext))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', kid: String(to.kid), ...header })
    .encrypt(await importJWK(to, 'ECDH-ES'))
}

describe('the key for an answer (OpenID4VP 1.0 §8.3)', () => {
  it('is a P-256 key for ECDH-ES with a kid, and the request contains its public part', () => {
    const shown = responsePublicKey(key)
    expect(shown).toMatchObject({ kty: 'EC', crv: 'P-256', use: 'enc', alg: 'ECDH-ES', kid: expect.any(String) })
    expect(shown).not.toHaveProperty('d')
    expect(key).toHaveProperty('d')
  })

  it('is a new key each time', () => {
    expect(generateResponseKey().kid).not.toBe(key.kid)
  })
})

describe('an encrypted answer', () => {
  it.each(['A128GCM', 'A256GCM'])('is decrypted with %s, with and without kid, apu and apv', async (enc) => {
    const parameters = { vp_token: { a: ['x'] }, state: STATE }
    const sealed = await jwe(JSON.stringify(parameters), { header: { enc } })
    expect(decryptResponse(sealed, key)).toEqual(parameters)
    const agreed = await new CompactEncrypt(Buffer.from(JSON.stringify(parameters)))
      .setProtectedHeader({ alg: 'ECDH-ES', enc })
      .setKeyManagementParameters({ apu: Buffer.from('wallet'), apv: Buffer.from('nonce') })
      .encrypt(await importJWK(responsePublicKey(key), 'ECDH-ES'))
    expect(decryptResponse(agreed, key)).toEqual(parameters)
  })

  const withHeader = (sealed: string, members: Record<string, unknown>) => {
    const [header = '', ...rest] = sealed.split('.')
    const changed = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), ...members }
    return [Buffer.from(JSON.stringify(changed)).toString('base64url'), ...rest].join('.')
  }

  it.each([
    ['no JWE', () => 'x', 'Response is not a compact JWE.'],
    ['for another kid', () => jwe('{}', { header: { kid: 'another' } }), 'Response is encrypted for another key.'],
    [
      'compressed',
      async () => withHeader(await jwe('{}'), { zip: 'DEF' }),
      'Response is compressed, which is not supported.',
    ],
    ['altered', async () => withHeader(await jwe('{}'), { cty: 'json' }), 'Response cannot be decrypted.'],
    [
      'with an ephemeral key that is not a point of the curve',
      async () => withHeader(await jwe('{}'), { epk: { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' } }),
      'Response cannot be decrypted.',
    ],
    [
      'without an ephemeral key',
      async () => withHeader(await jwe('{}'), { epk: undefined }),
      'Response cannot be decrypted.',
    ],
    ['by dir', async () => withHeader(await jwe('{}'), { alg: 'dir' }), 'Response cannot be decrypted.'],
    ['with A128CBC-HS256', () => jwe('{}', { header: { enc: 'A128CBC-HS256' } }), 'Response cannot be decrypted.'],
    ['of a text', () => jwe('"x"'), 'Response holds no JSON object.'],
    ['of no JSON', () => jwe('x'), 'Response holds no JSON object.'],
    ['of an array', () => jwe('[]'), 'Response holds no JSON object.'],
  ])('is refused when it is %s', async (_, make, sentence) => {
    const sealed = await make()
    expect(() => decryptResponse(sealed, key)).toThrow(new ResponseError(sentence))
  })

  it('for another key under the right kid does not decrypt', async () => {
    const other = { ...responsePublicKey(generateResponseKey()), kid: key.kid ?? '' }
    const sealed = await jwe('{}', { to: other })
    expect(() => decryptResponse(sealed, key)).toThrow('Response cannot be decrypted.')
  })
})

describe('an unencrypted answer (§8.1, §8.2)', () => {
  const read = (form: Record<string, string>) => readAuthorizationResponse(form, { state: STATE })

  it('has presentations by credential query', () => {
    const vp_token = JSON.stringify({ a: ['x', { proof: {} }], __proto: ['y'] })
    expect(read({ state: STATE, vp_token })).toEqual({
      kind: 'presentations',
      vpToken: new Map<string, unknown>([
        ['a', ['x', { proof: {} }]],
        ['__proto', ['y']],
      ]),
    })
  })

  it('treats an entry named __proto__ like any other entry', () => {
    const answer = read({ state: STATE, vp_token: '{"__proto__":["x"]}' })
    expect(answer).toMatchObject({ vpToken: new Map([['__proto__', ['x']]]) })
  })

  it('has the wallet’s error, with any other members', () => {
    const form = { state: STATE, error: 'access_denied', error_description: 'no', vp_token: '{}' }
    expect(read(form)).toEqual({ kind: 'error', error: 'access_denied', description: 'no' })
  })

  it.each([
    [{}, 'Parameter state is missing.'],
    [{ state: '' }, 'Parameter state is not that of the request.'],
    [{ state: `${STATE}x` }, 'Parameter state is not that of the request.'],
    [{ state: STATE }, 'Parameter vp_token is missing.'],
    [{ state: STATE, vp_token: 'null' }, 'Parameter vp_token is not a JSON object of arrays.'],
    [{ state: STATE, vp_token: '"x"' }, 'Parameter vp_token is not a JSON object of arrays.'],
    [{ state: STATE, vp_token: '{"a":{}}' }, 'Parameter vp_token is not a JSON object of arrays.'],
    [
      { state: STATE, vp_token: '{"a":"x"}' },
      'Parameter vp_token holds a single presentation where an array of them is due.',
    ],
    [
      { state: STATE, vp_token: '{"a":[null]}' },
      'Parameter vp_token holds a presentation that is neither string nor object.',
    ],
  ])('is refused: %j', (form, sentence) => {
    expect(() => read(form)).toThrow(new ResponseError(sentence))
  })

  it('is refused if the request asks for encryption, except for an error (§8.3.1)', () => {
    const secrets = { state: STATE, encryptionKey: key }
    const missing = 'Parameter response is missing: the request asks for an encrypted answer.'
    expect(() => readAuthorizationResponse({ state: STATE, vp_token: '{}' }, secrets)).toThrow(missing)
    expect(() => readAuthorizationResponse({ state: STATE, error: 'x', vp_token: '{}' }, secrets)).toThrow(missing)
    expect(readAuthorizationResponse({ state: STATE, error: 'x' }, secrets)).toMatchObject({ kind: 'error' })
  })
})
