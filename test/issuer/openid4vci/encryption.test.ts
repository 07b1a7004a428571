import { generateKeyPairSync } from 'node:crypto'
import { CompactEncrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import type { Answer } from '../../support/service.js'
import { recordStatements } from '../../support/statements.js'
import { newWallet } from '../../support/wallet-actor.js'
import { type Issuer, refusalOf, SD_JWT, startIssuer } from './actors.js'
import {
  type AnswerKey,
  encryptFor,
  encryptingFetch,
  ISSUER_METADATA,
  newAnswerKey,
  requestKey,
  sendJwe,
} from './encryption-actors.js'
import { newHolderKey, takeOffer } from './library-wallet.js'

let issuer: Issuer
let key: JWK

beforeAll(async () => {
  issuer = await startIssuer({ maintenance: false })
  key = await requestKey(issuer.service)
})
afterAll(() => issuer.service.close())

const newToken = async (from = issuer) => from.token((await from.makeOffer()).credentialOfferSessionId)

async function requestOf(members: Readonly<Record<string, unknown>> = {}, from = issuer): Promise<object> {
  const wallet = await newWallet()
  const jwt = [await wallet.proof(from.service.url, await from.nonce())]
  return { credential_configuration_id: SD_JWT, proofs: { jwt }, ...members }
}

const asking = ({ publicJwk }: AnswerKey, members: object = {}) => ({
  credential_response_encryption: { jwk: publicJwk, enc: 'A256GCM', ...members },
})

const expectTaken = (answer: Answer) => {
  expect(answer.status, answer.text).toBe(200)
  return answer
}

describe('metadata (OpenID4VCI 1.0 §12.2.4)', () => {
  it('have the key for requests, and the algorithms for answers, as JSON and signed', async () => {
    const { json } = await issuer.service.request('GET', ISSUER_METADATA)
    const common = {
      enc_values_supported: ['A128GCM', 'A256GCM'],
      zip_values_supported: ['DEF'],
      encryption_required: false,
    }
    const coordinate = expect.stringMatching(/^[\w-]{43}$/)
    const jwk = {
      kty: 'EC',
      crv: 'P-256',
      x: coordinate,
      y: coordinate,
      kid: expect.any(String),
      alg: 'ECDH-ES',
      use: 'enc',
    }
    const members = {
      credential_request_encryption: { jwks: { keys: [jwk] }, ...common },
      credential_response_encryption: { alg_values_supported: ['ECDH-ES'], ...common },
    }
    expect(json).toMatchObject(members)
    expect(json.credential_request_encryption).toEqual(members.credential_request_encryption)
    const signed = await issuer.service.request('GET', ISSUER_METADATA, { headers: { accept: 'application/jwt' } })
    const payload = JSON.parse(Buffer.from(signed.text.split('.')[1] ?? '', 'base64url').toString())
    expect(payload.credential_request_encryption).toEqual(json.credential_request_encryption)
    expect(payload.credential_response_encryption).toEqual(json.credential_response_encryption)
  })
})

describe('an encrypted request (OpenID4VCI 1.0 §8.2, §10)', () => {
  it.each([
    { enc: 'A128GCM' },
    { enc: 'A256GCM' },
    { enc: 'A128GCM', zip: 'DEF' },
    { enc: 'A256GCM', zip: 'DEF' },
  ] as const)('gets an answer that is encrypted for the named key, with its kid: %j', async (choice) => {
    const mine = await newAnswerKey()
    const body = JSON.stringify(await requestOf(asking(mine, choice)))
    const answer = expectTaken(await sendJwe(issuer.service, await newToken(), await encryptFor(key, body, choice)))
    expect(answer.headers.get('content-type')).toBe('application/jwt')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const { header, json } = await mine.open(answer.text)
    expect(header).toEqual({ alg: 'ECDH-ES', kid: 'answer-1', ...choice })
    expect(json).toEqual({ credentials: [{ credential: expect.any(String) }], notification_id: expect.any(String) })
    const authorization = await issuer.authorization()
    const [{ credential }] = json.credentials
    const verified = await issuer.service.request('POST', '/credentials/verify', {
      authorization,
      body: { credential },
    })
    expect(verified.json).toMatchObject({ isValid: true })
  })

  it('is answered without a kid if the key has none', async () => {
    const mine = await newAnswerKey({ use: 'enc' })
    const body = JSON.stringify(await requestOf(asking(mine)))
    const answer = expectTaken(await sendJwe(issuer.service, await newToken(), await encryptFor(key, body)))
    expect((await mine.open(answer.text)).header).toEqual({ alg: 'ECDH-ES', enc: 'A256GCM' })
  })

  it('may have a validity period', async () => {
    const seconds = Math.floor(Date.now() / 1000)
    const times = { iat: seconds, nbf: seconds + 20, exp: seconds - 20, jti: 'one' }
    const jwe = await encryptFor(key, JSON.stringify(await requestOf(times)))
    expectTaken(await sendJwe(issuer.service, await newToken(), jwe))
  })

  it('that asks for no encrypted answer gets JSON', async () => {
    const jwe = await encryptFor(key, JSON.stringify(await requestOf()))
    const answer = expectTaken(await sendJwe(issuer.service, await newToken(), jwe))
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.json.credentials).toHaveLength(1)
  })

  it('that is refused for another reason gets an unencrypted error (§8.3.1.2)', async () => {
    const mine = await newAnswerKey()
    const request = { ...(await requestOf(asking(mine))), proofs: { jwt: ['a.b.c'] } }
    const answer = await sendJwe(issuer.service, await newToken(), await encryptFor(key, JSON.stringify(request)))
    expect([answer.status, answer.json.error]).toEqual([400, 'invalid_proof'])
    expect(answer.headers.get('content-type')).toBe('application/json')
  })

  it.each([undefined, 'DEF'] as const)('can be made by @openid4vc/openid4vci, with zip %s', async (zip) => {
    const seen = { encrypted: 0 }
    const taken = await takeOffer({
      offer: (await issuer.makeOffer()).credentialOfferUri,
      keys: [await newHolderKey(), await newHolderKey()],
      named: 'by jwk',
      fetch: encryptingFetch({ enc: 'A256GCM', ...(zip === undefined ? {} : { zip }) }, seen),
    })
    expect(Object.values(taken).map(({ credentials }) => credentials.length)).toEqual([2, 2])
    expect(seen.encrypted).toBe(2)
  })

  it('costs no more statements than an unencrypted request after the key has been read', async () => {
    const other = await startIssuer({ maintenance: false })
    const otherKey = await requestKey(other.service)
    const mine = await newAnswerKey()
    const inTheClear = async () => {
      const [token, request] = [await newToken(other), await requestOf({}, other)]
      return () => other.requestCredential(token, request)
    }
    const encrypted = async () => {
      const token = await newToken(other)
      const jwe = await encryptFor(otherKey, JSON.stringify(await requestOf(asking(mine), other)))
      return () => sendJwe(other.service, token, jwe)
    }
    for (const prepare of [inTheClear, encrypted]) expectTaken(await (await prepare())())
    const prepared = [await inTheClear(), await encrypted()]
    const statements = recordStatements()
    const counts: number[] = []
    for (const take of prepared) {
      statements.clear()
      expectTaken(await take())
      counts.push(statements.sent().length)
    }
    expect(counts[1]).toBe(counts[0])
    statements.clear()
    await other.service.request('GET', ISSUER_METADATA)
    expect(statements.sent()).toHaveLength(1)
    statements.stop()
    await other.service.close()
  })
})

describe('refused messages', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
  const parts = (jwe: string) => jwe.split('.')
  const flipped = (text: string) => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`
  const headed = (jwe: string, members: object) => {
    const [header = '', ...rest] = parts(jwe)
    const changed = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), ...members }
    return [Buffer.from(JSON.stringify(changed)).toString('base64url'), ...rest].join('.')
  }
  const keyMessage = 'The kid of the request names no key of this issuer; its metadata have it.'
  const parameters = 'invalid_encryption_parameters'
  const request = 'invalid_credential_request'
  const undecryptable = [400, parameters, 'The request cannot be decrypted.']

  const spent = async () =>
    query(
      issuer.service.databaseUrl,
      `SELECT (SELECT count(*)::int FROM used_nonces) AS nonces, (SELECT count(*)::int FROM credentials) AS credentials,
         (SELECT sum(redemption_count)::int FROM offerings) AS redemptions`,
    )

  it.each<[string, (body: string) => Promise<string>, unknown[]]>([
    ['what is no JWE', async () => 'a.b.c.d.e', [400, parameters, 'The request is not a compact JWE.']],
    ['a signed JWT', async () => 'e30.e30.c2ln', [400, parameters, 'The request is not a compact JWE.']],
    ['no kid', (body) => encryptFor(key, body, {}, { kid: undefined as never }), [400, parameters, keyMessage]],
    [
      'a kid that nobody has',
      (body) => encryptFor({ ...key, kid: crypto.randomUUID() }, body),
      [400, parameters, keyMessage],
    ],
    ['a kid that is no id', (body) => encryptFor({ ...key, kid: "' OR \0" }, body), [400, parameters, keyMessage]],
    [
      'alg RSA-OAEP-256',
      async (body) =>
        new CompactEncrypt(new TextEncoder().encode(body))
          .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A128GCM', kid: String(key.kid) })
          .encrypt(await importJWK(rsa, 'RSA-OAEP-256')),
      [400, parameters, 'The request must be encrypted with alg ECDH-ES.'],
    ],
    [
      'alg dir',
      (body) =>
        new CompactEncrypt(new TextEncoder().encode(body))
          .setProtectedHeader({ alg: 'dir', enc: 'A128GCM', kid: String(key.kid) })
          .encrypt(new Uint8Array(16)),
      [400, parameters, 'The request must be encrypted with alg ECDH-ES.'],
    ],
    [
      'alg ECDH-ES+A256KW',
      (body) => encryptFor(key, body, {}, { alg: 'ECDH-ES+A256KW' }),
      [400, parameters, 'The request must be encrypted with alg ECDH-ES.'],
    ],
    [
      'enc A128CBC-HS256',
      (body) => encryptFor(key, body, { enc: 'A128CBC-HS256' }),
      [400, parameters, 'The enc of the request is not supported.'],
    ],
    [
      'a zip that is not DEF',
      async (body) => headed(await encryptFor(key, body), { zip: 'GZ' }),
      [400, parameters, 'The zip of the request is not supported.'],
    ],
    [
      'a critical extension',
      async (body) =>
        new CompactEncrypt(new TextEncoder().encode(body))
          .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', kid: String(key.kid), crit: ['exp'], exp: 1 })
          .encrypt(await importJWK(key, 'ECDH-ES'), { crit: { exp: true } }),
      undecryptable,
    ],
    [
      'a header that was changed (it is authenticated)',
      async (body) => headed(await encryptFor(key, body), { cty: 'json' }),
      undecryptable,
    ],
    [
      'a tag that was changed',
      async (body) => {
        const jwe = parts(await encryptFor(key, body))
        return [...jwe.slice(0, 4), flipped(jwe[4] ?? '')].join('.')
      },
      undecryptable,
    ],
    [
      'an ephemeral key of another curve',
      async (body) => {
        const { publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-384' })
        return headed(await encryptFor(key, body), { epk: await exportJWK(publicKey) })
      },
      undecryptable,
    ],
    [
      'an ephemeral key that is not a point of the curve',
      async (body) => headed(await encryptFor(key, body), { epk: { ...key, x: key.y } }),
      undecryptable,
    ],
    [
      'another key with the kid of the service’s key',
      async (body) => encryptFor({ ...(await newAnswerKey()).publicJwk, kid: String(key.kid) }, body),
      undecryptable,
    ],
    [
      'a few octets that expand to 64 MiB',
      () => encryptFor(key, new Uint8Array(64 * 1_048_576), { zip: 'DEF' }),
      [413, request, 'The encrypted request holds more than 256 KiB.'],
    ],
    [
      'one octet too many',
      (body) => encryptFor(key, body.padEnd(262_145)),
      [413, request, 'The encrypted request holds more than 256 KiB.'],
    ],
    [
      'half a mebibyte',
      (body) => encryptFor(key, body.padEnd(524_288)),
      [413, request, 'The encrypted request holds more than 256 KiB.'],
    ],
    ['more than a mebibyte', async () => 'A'.repeat(1_048_577), [413, request, 'Request body exceeds 1 MiB.']],
    ['an array', () => encryptFor(key, '[]'), [400, request, 'Request body must be a JSON object']],
    ['null', () => encryptFor(key, 'null'), [400, request, 'Request body must be a JSON object']],
    [
      'a JWT that has expired (RFC 7519 §4.1.4)',
      (body) => encryptFor(key, body.replace('{', `{"exp":${Math.floor(Date.now() / 1000) - 120},`)),
      [400, request, 'The encrypted request has expired.'],
    ],
    [
      'a JWT that is not valid yet (§4.1.5)',
      (body) => encryptFor(key, body.replace('{', `{"nbf":${Math.floor(Date.now() / 1000) + 300},`)),
      [400, request, 'The encrypted request is not valid yet: nbf lies in the future.'],
    ],
    [
      'a JWT whose exp is not a number',
      (body) => encryptFor(key, body.replace('{', '{"exp":"soon",')),
      [400, request, 'The exp of the request must be a number.'],
    ],
    ['a JWT within it', () => encryptFor(key, 'e30.e30.c2ln'), [400, request, 'Request body is not valid JSON.']],
    ['nothing', () => encryptFor(key, ''), [400, request, 'Request body is not valid JSON.']],
    [
      'what is no UTF-8',
      () => encryptFor(key, new Uint8Array([0x7b, 0xff, 0x7d])),
      [400, request, 'The encrypted request must be UTF-8.'],
    ],
    [
      'JSON that is nested too deeply',
      () => encryptFor(key, `{"a":${'['.repeat(200)}${']'.repeat(200)}}`, { zip: 'DEF' }),
      [400, request, 'Request body is nested too deeply.'],
    ],
    [
      'a prototype',
      (body) => encryptFor(key, body.replace('{', '{"__proto__":{},')),
      [400, request, 'property __proto__ should not exist'],
    ],
  ])('%s; nothing is used up, and the token is still valid', async (_, make, refusal) => {
    const token = await newToken()
    const before = await spent()
    const jwe = await make(JSON.stringify(await requestOf()))
    const answer = await sendJwe(issuer.service, token, jwe)
    expect(refusalOf(answer)).toEqual(refusal)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await spent()).toEqual(before)
    expect((await issuer.take(token, SD_JWT)).status).toBe(200)
  })

  it.each<[string, (own: JWK) => unknown, string]>([
    ['no object', () => 'x', 'credential_response_encryption must be an object.'],
    ['null', () => null, 'credential_response_encryption must be an object.'],
    ['no jwk', () => ({ enc: 'A128GCM' }), 'credential_response_encryption.jwk must be a JWK.'],
    [
      'a private key',
      (jwk) => ({ jwk: { ...jwk, d: 'A'.repeat(43) }, enc: 'A128GCM' }),
      'credential_response_encryption.jwk must be a public key.',
    ],
    [
      'a symmetric key',
      () => ({ jwk: { kty: 'oct', k: 'AAAA', alg: 'ECDH-ES' }, enc: 'A128GCM' }),
      'credential_response_encryption.jwk must be a public key.',
    ],
    [
      'a key without alg',
      ({ alg: _, ...jwk }) => ({ jwk, enc: 'A128GCM' }),
      'credential_response_encryption.jwk must have the alg ECDH-ES.',
    ],
    [
      'a key of another alg',
      (jwk) => ({ jwk: { ...jwk, alg: 'ECDH-ES+A128KW' }, enc: 'A128GCM' }),
      'credential_response_encryption.jwk must have the alg ECDH-ES.',
    ],
    [
      'a key for signatures',
      (jwk) => ({ jwk: { ...jwk, use: 'sig' }, enc: 'A128GCM' }),
      'credential_response_encryption.jwk is not meant for encryption.',
    ],
    [
      'a kid that is no text',
      (jwk) => ({ jwk: { ...jwk, kid: 1 }, enc: 'A128GCM' }),
      'credential_response_encryption.jwk has a kid that is no text.',
    ],
    [
      'a point that is not on the curve',
      (jwk) => ({ jwk: { ...jwk, x: jwk.y }, enc: 'A128GCM' }),
      'credential_response_encryption.jwk must be a point of P-256.',
    ],
    [
      'a key of another curve',
      (jwk) => ({ jwk: { ...jwk, crv: 'P-384' }, enc: 'A128GCM' }),
      'credential_response_encryption.jwk must be a point of P-256.',
    ],
    ['no enc', (jwk) => ({ jwk }), 'The enc of credential_response_encryption is missing or not supported.'],
    [
      'another enc',
      (jwk) => ({ jwk, enc: 'A256CBC-HS512' }),
      'The enc of credential_response_encryption is missing or not supported.',
    ],
    [
      'another zip',
      (jwk) => ({ jwk, enc: 'A128GCM', zip: 'GZ' }),
      'The zip of credential_response_encryption is not supported.',
    ],
  ])('an answer encrypted with %s is refused before anything is used up', async (_, make, description) => {
    const token = await newToken()
    const before = await spent()
    const { publicJwk } = await newAnswerKey()
    const body = JSON.stringify(await requestOf({ credential_response_encryption: make(publicJwk) }))
    const answer = await sendJwe(issuer.service, token, await encryptFor(key, body))
    expect(refusalOf(answer)).toEqual([400, parameters, description])
    expect(await spent()).toEqual(before)
    expect((await issuer.take(token, SD_JWT)).status).toBe(200)
  })

  it('an encrypted answer to an unencrypted request, because a third party may have inserted the key', async () => {
    const token = await newToken()
    const before = await spent()
    const answer = await issuer.requestCredential(token, await requestOf(asking(await newAnswerKey())))
    expect(refusalOf(answer)).toEqual([
      400,
      parameters,
      'A request with credential_response_encryption must be encrypted itself.',
    ])
    expect(await spent()).toEqual(before)
  })

  it('a JWE without a token is not even read', async () => {
    const answer = await issuer.service.request('POST', '/openid4vci/credential', {
      headers: { 'content-type': 'application/jwt' },
      body: 'a.b.c.d.e',
    })
    expect(answer.status).toBe(401)
  })

  it('application/jwt if encryption is off', async () => {
    const answer = await issuer.service.request('POST', '/openid4vci/notification', {
      authorization: `Bearer ${await newToken()}`,
      headers: { 'content-type': 'application/jwt' },
      body: 'a.b.c.d.e',
    })
    expect(answer.status).toBe(415)
  })

  it('of a member that is given twice, the last value counts, as in JSON (RFC 7519 §4)', async () => {
    const [mine, other] = [await newAnswerKey({ kid: 'mine' }), await newAnswerKey({ kid: 'other' })]
    const body = JSON.stringify(await requestOf(asking(mine)))
    const twice = body.replace(
      '{',
      `{"credential_configuration_id":"unknown",${JSON.stringify(asking(other)).slice(1, -1)},`,
    )
    const answer = expectTaken(await sendJwe(issuer.service, await newToken(), await encryptFor(key, twice)))
    expect((await mine.open(answer.text)).header).toMatchObject({ kid: 'mine' })
  })
})

describe('CREDENTIAL_ENCRYPTION', () => {
  it('off: metadata name no encryption, and neither encrypted requests nor encrypted answers are possible', async () => {
    const off = await startIssuer({ env: { CREDENTIAL_ENCRYPTION: 'off' } })
    const { json } = await off.service.request('GET', ISSUER_METADATA)
    expect(Object.keys(json).filter((name) => name.includes('encryption'))).toEqual([])
    const token = await newToken(off)
    const jwe = await encryptFor(key, JSON.stringify(await requestOf({}, off)))
    expect(refusalOf(await sendJwe(off.service, token, jwe))).toEqual([
      400,
      'invalid_encryption_parameters',
      'Encrypted credential requests are not supported.',
    ])
    const asked = await requestOf(asking(await newAnswerKey()), off)
    expect(refusalOf(await off.requestCredential(token, asked))).toEqual([
      400,
      'invalid_encryption_parameters',
      'Encrypted credential responses are not supported.',
    ])
    expectTaken(await off.take(token, SD_JWT))
    await off.service.close()
  })

  it('required: metadata say so; JSON is refused, and so is a request without an encrypted answer', async () => {
    const strict = await startIssuer({ env: { CREDENTIAL_ENCRYPTION: 'required' } })
    const { json } = await strict.service.request('GET', ISSUER_METADATA)
    expect([
      json.credential_request_encryption.encryption_required,
      json.credential_response_encryption.encryption_required,
    ]).toEqual([true, true])
    const [strictKey] = json.credential_request_encryption.jwks.keys
    const token = await newToken(strict)
    expect(refusalOf(await strict.take(token, SD_JWT))).toEqual([
      400,
      'invalid_encryption_parameters',
      'The request must be encrypted.',
    ])
    const half = await encryptFor(strictKey, JSON.stringify(await requestOf({}, strict)))
    expect(refusalOf(await sendJwe(strict.service, token, half))).toEqual([
      400,
      'invalid_encryption_parameters',
      'credential_response_encryption is missing: answers are encrypted here.',
    ])
    const mine = await newAnswerKey()
    const whole = await encryptFor(strictKey, JSON.stringify(await requestOf(asking(mine), strict)))
    const answer = expectTaken(await sendJwe(strict.service, token, whole))
    expect((await mine.open(answer.text)).json.credentials).toHaveLength(1)
    await strict.service.close()
  })
})
