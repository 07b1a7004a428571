import { importJWK, jwtVerify } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../server/protocol/json/json-object.js'
import {
  createVpJwt,
  isHeldBy,
  type VerifyVpOptions,
  verifyVpJwt,
} from '../../../server/protocol/jwt-vc/presentation.js'
import { type Actor, actor, decode, later, NOW, NOW_SECONDS, tampered } from '../sd-jwt-vc/actors.js'

const NONCE = 'n-0S6_WzA2Mj'
const AUDIENCE = 'decentralized_identifier:did:example:verifier'

let holder: Actor
let thief: Actor
let presentation: string

beforeAll(async () => {
  holder = await actor('did:example:holder')
  thief = await actor('did:example:thief')
  presentation = await createVpJwt({
    signer: holder.signer,
    holder: holder.id,
    credentials: ['a.b.c', 'd.e.f'],
    nonce: NONCE,
    audience: AUDIENCE,
    issuedAt: NOW,
    expiresAt: later(300),
    id: 'urn:uuid:1',
  })
})

const verify = (text: string, options: Partial<VerifyVpOptions> = {}) =>
  verifyVpJwt(text, {
    resolveHolderKey: async () => ({ jwk: holder.publicJwk, holder: holder.id }),
    nonce: NONCE,
    audience: AUDIENCE,
    now: NOW,
    notBefore: NOW,
    ...options,
  })

const VP = { type: ['VerifiablePresentation'], verifiableCredential: ['a.b.c'] }

const forge = (vp: unknown, claims: JsonObject = {}, header: JsonObject = { typ: 'JWT' }) =>
  holder.sign(header, { iss: holder.id, aud: AUDIENCE, nonce: NONCE, iat: NOW_SECONDS, vp, ...claims })

const refusal = (message: string) => expect.objectContaining({ name: 'CredentialError', message })

describe('A VP JWT (VCDM 1.1 §6.3.1, OpenID4VP 1.0 Appendix B.1.3.1.5)', () => {
  it('names presenter, credentials and audience', async () => {
    expect(decode(presentation)).toEqual({
      header: { alg: 'ES256', typ: 'JWT', kid: 'did:example:holder#0' },
      payload: {
        iss: 'did:example:holder',
        aud: AUDIENCE,
        nonce: NONCE,
        iat: NOW_SECONDS,
        nbf: NOW_SECONDS,
        exp: NOW_SECONDS + 300,
        jti: 'urn:uuid:1',
        vp: {
          '@context': ['https://www.w3.org/2018/credentials/v1'],
          type: ['VerifiablePresentation'],
          id: 'urn:uuid:1',
          holder: 'did:example:holder',
          verifiableCredential: ['a.b.c', 'd.e.f'],
        },
      },
    })
  })

  it('is verified by jose alone', async () => {
    const key = await importJWK(holder.publicJwk, 'ES256')
    const options = { issuer: holder.id, audience: AUDIENCE, currentDate: NOW }
    await expect(jwtVerify(presentation, key, options)).resolves.toHaveProperty('payload')
  })
})

describe('Verifying a VP JWT', () => {
  it('returns the holder, its key and the unchanged credentials', async () => {
    const { holder: id, holderKey, credentials } = await verify(presentation)
    expect(id).toBe('did:example:holder')
    expect(holderKey).toBe(holder.publicJwk)
    expect(credentials).toEqual(['a.b.c', 'd.e.f'])
  })

  it('accepts a single credential, one of several audiences, and missing times', async () => {
    const text = await forge({ ...VP, verifiableCredential: 'a.b.c' }, { aud: ['x', AUDIENCE], iat: undefined })
    const { credentials } = await verify(text, { audience: ['origin:https://v.example', AUDIENCE] })
    expect(credentials).toEqual(['a.b.c'])
  })

  it.each([
    [{ typ: 'kb+jwt' }, VP, 'Presentation typ is neither JWT nor vp+jwt.'],
    [{ typ: 'openid4vci-proof+jwt' }, VP, 'Presentation typ is neither JWT nor vp+jwt.'],
    [{}, undefined, 'Presentation has no vp object of type VerifiablePresentation.'],
    [{}, { ...VP, type: 'VerifiableCredential' }, 'Presentation has no vp object of type VerifiablePresentation.'],
    [{}, { type: 'VerifiablePresentation' }, 'Presentation holds no credential.'],
    [{}, { ...VP, verifiableCredential: [] }, 'Presentation holds no credential.'],
    [{}, { ...VP, verifiableCredential: Array(33).fill('a.b.c') }, 'Presentation holds more than 32 credentials.'],
    [
      {},
      { ...VP, verifiableCredential: [{ proof: {} }] },
      'Presentation holds a credential that is not a compact JWT.',
    ],
  ])('refuses header %j with vp %j', async (header, vp, message) => {
    await expect(verify(await forge(vp, {}, header))).rejects.toThrow(refusal(message))
  })

  it.each(['other', undefined, [NONCE]])('refuses nonce %j', async (nonce) => {
    await expect(verify(await forge(VP, { nonce }))).rejects.toThrow(
      refusal('Presentation nonce is not that of the request.'),
    )
  })

  it.each(['did:example:verifier', undefined, ['x']])('refuses aud %j', async (aud) => {
    await expect(verify(await forge(VP, { aud }))).rejects.toThrow(refusal('Presentation aud is not this verifier.'))
  })

  it('demands times between the request and now, with a leeway of 60 seconds', async () => {
    const at = async (claims: JsonObject) => verify(await forge(VP, claims))
    await expect(at({ iat: NOW_SECONDS - 60 })).resolves.toHaveProperty('holder')
    await expect(at({ iat: NOW_SECONDS - 61 })).rejects.toThrow(refusal('Presentation is older than its request.'))
    await expect(at({ iat: NOW_SECONDS + 61 })).rejects.toThrow(
      refusal('Presentation is not valid yet: iat lies in the future.'),
    )
    await expect(at({ nbf: NOW_SECONDS + 61 })).rejects.toThrow(
      refusal('Presentation is not valid yet: nbf lies in the future.'),
    )
    await expect(at({ exp: NOW_SECONDS - 59 })).resolves.toHaveProperty('holder')
    await expect(at({ exp: NOW_SECONDS - 60 })).rejects.toThrow(refusal('Presentation has expired.'))
    await expect(at({ iat: 'now' })).rejects.toThrow(refusal('Presentation claim iat is not a number.'))
  })

  it('refuses another signer, and alg none', async () => {
    const resolveHolderKey = async () => ({ jwk: thief.publicJwk, holder: holder.id })
    await expect(verify(presentation, { resolveHolderKey })).rejects.toThrow(
      refusal('Presentation signature is invalid.'),
    )
    await expect(verify(tampered(presentation, 0, { alg: 'none' }))).rejects.toThrow(
      refusal('Presentation signature cannot be verified: Signature algorithm none is not allowed.'),
    )
  })

  it('refuses iss and vp.holder that do not own the key', async () => {
    await expect(verify(await forge(VP, { iss: 'did:example:thief' }))).rejects.toThrow(
      refusal('Presentation iss is not its holder.'),
    )
    await expect(verify(await forge({ ...VP, holder: 'did:example:thief' }))).rejects.toThrow(
      refusal('Presentation vp.holder is not its holder.'),
    )
    await expect(verify(await forge({ ...VP, holder: { id: holder.id } }, { iss: undefined }))).resolves.toHaveProperty(
      'holder',
    )
  })
})

describe('Whether the presenter is the holder of a credential', () => {
  const presenter = (by: Actor) => ({ holder: by.id, holderKey: by.publicJwk, header: { kid: `${by.id}#0` } })

  it('is decided by its subject', () => {
    expect(isHeldBy({ subjectId: 'did:example:holder' }, presenter(holder))).toBe(true)
    expect(isHeldBy({ subjectId: 'did:example:holder' }, presenter(thief))).toBe(false)
    expect(isHeldBy({}, presenter(holder))).toBe(false)
  })

  it('is decided by cnf if there is one, with any subject (RFC 7800 §3)', () => {
    const cnf = { jwk: { ...holder.publicJwk, kid: 'any' } }
    expect(isHeldBy({ subjectId: 'urn:person:1', cnf }, presenter(holder))).toBe(true)
    expect(isHeldBy({ subjectId: 'did:example:thief', cnf }, presenter(thief))).toBe(false)
    expect(isHeldBy({ cnf: { kid: 'did:example:holder#0' } }, presenter(holder))).toBe(true)
    expect(isHeldBy({ cnf: { kid: 'did:example:holder#0' } }, presenter(thief))).toBe(false)
  })

  it('is decided by the complete name of a key: a relative name belongs to the presenter', () => {
    const relative = (by: Actor) => ({ ...presenter(by), header: { kid: '#0' } })
    expect(isHeldBy({ cnf: { kid: 'did:example:holder#0' } }, relative(holder))).toBe(true)
    expect(isHeldBy({ cnf: { kid: 'did:example:holder#0' } }, relative(thief))).toBe(false)
    expect(isHeldBy({ subjectId: 'did:example:holder', cnf: { kid: '#0' } }, relative(thief))).toBe(false)
    expect(isHeldBy({ subjectId: 'did:example:holder', cnf: { kid: '#0' } }, relative(holder))).toBe(false)
    const named = { ...presenter(thief), header: { kid: 'key-1' } }
    expect(isHeldBy({ subjectId: 'did:example:holder', cnf: { kid: 'key-1' } }, named)).toBe(false)
  })

  it('is false if cnf cannot be understood', () => {
    expect(isHeldBy({ subjectId: holder.id, cnf: { jwk: { kty: 'oct' } } }, presenter(holder))).toBe(false)
    expect(isHeldBy({ subjectId: holder.id, cnf: { 'x5t#S256': 'abc' } }, presenter(holder))).toBe(false)
  })
})
