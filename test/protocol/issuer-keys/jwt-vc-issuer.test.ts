import { describe, expect, it } from 'vitest'
import { resolveIssuerKey } from '../../../server/protocol/issuer-keys/resolve-issuer-key.js'
import { generateKeyPair } from '../../../server/protocol/jose/jws.js'
import { world } from './world.js'

const issuer = (await generateKeyPair('ES256')).publicJwk
const second = (await generateKeyPair('ES256')).publicJwk

const URL_ISSUER = 'https://issuer.example/tenant/1234'
const METADATA = 'https://issuer.example/.well-known/jwt-vc-issuer/tenant/1234'

describe('an https issuer (SD-JWT VC, "JWT VC Issuer Metadata")', () => {
  const metadata = (extra: object = {}) => ({ issuer: URL_ISSUER, jwks: { keys: [{ ...issuer, kid: 'a' }] }, ...extra })
  const resolve = (document: unknown, header: Record<string, unknown> = { kid: 'a', alg: 'ES256' }) =>
    resolveIssuerKey(header, { iss: URL_ISSUER }, world({ [METADATA]: document }))

  it('publishes its keys at an address between host and path', async () => {
    await expect(resolve(metadata())).resolves.toEqual({
      jwk: { ...issuer, kid: 'a' },
      issuer: URL_ISSUER,
      method: 'jwt-vc-issuer',
    })
  })

  it.each([
    ['https://issuer.example', 'https://issuer.example/.well-known/jwt-vc-issuer'],
    ['https://issuer.example/', 'https://issuer.example/.well-known/jwt-vc-issuer'],
    ['https://issuer.example:8443/a/', 'https://issuer.example:8443/.well-known/jwt-vc-issuer/a'],
  ])('of %s has them at %s', async (iss, address) => {
    const io = world({ [address]: { issuer: iss, jwks: { keys: [{ ...issuer, kid: 'a' }] } } })
    await expect(resolveIssuerKey({ kid: 'a' }, { iss }, io)).resolves.toMatchObject({ issuer: iss })
  })

  it('may publish them in a separate key set', async () => {
    const jwks_uri = 'https://keys.example/jwks'
    const io = world({
      [METADATA]: { issuer: URL_ISSUER, jwks_uri },
      [jwks_uri]: { keys: [{ ...issuer, kid: 'a' }] },
    })
    await expect(resolveIssuerKey({ kid: 'a' }, { iss: URL_ISSUER }, io)).resolves.toMatchObject({
      jwk: { ...issuer, kid: 'a' },
    })
  })

  it.each([
    ['another issuer', 'https://mallory.example'],
    ['another tenant', 'https://issuer.example/tenant/12345'],
    ['the same issuer with a slash', `${URL_ISSUER}/`],
  ])('is not proven by the metadata of %s', async (_, other) => {
    await expect(resolve(metadata({ issuer: other }))).rejects.toThrow(
      `The metadata of the issuer ${URL_ISSUER} is that of another issuer.`,
    )
  })

  it.each([
    ['both jwks and jwks_uri', metadata({ jwks_uri: 'https://keys.example/jwks' })],
    ['neither', { issuer: URL_ISSUER }],
    ['no issuer', { jwks: { keys: [] } }],
    ['keys that are not array', metadata({ jwks: { keys: {} } })],
    ['no JSON object', 'text'],
  ])('is refused with %s', async (_, document) => {
    await expect(resolve(document)).rejects.toThrow(`The metadata of the issuer ${URL_ISSUER} is malformed.`)
  })

  it('is refused if a key set cannot be fetched, or not over https', async () => {
    const withUri = (jwks_uri: string) => resolve({ issuer: URL_ISSUER, jwks_uri })
    await expect(withUri('https://keys.example/jwks')).rejects.toThrow('The key set of the issuer')
    await expect(withUri('http://keys.example/jwks')).rejects.toThrow('is not an https URL.')
    await expect(withUri('file:///etc/passwd')).rejects.toThrow('is not an https URL.')
    await expect(withUri('https://a:b@keys.example/jwks')).rejects.toThrow('is not an https URL.')
    await expect(resolveIssuerKey({ kid: 'a' }, { iss: URL_ISSUER }, world({}))).rejects.toThrow(
      'could not be fetched.',
    )
  })

  it('is refused if kid names none of its keys', async () => {
    await expect(resolve(metadata(), { kid: 'b', alg: 'ES256' })).rejects.toThrow(
      `The issuer ${URL_ISSUER} publishes no such key.`,
    )
  })

  it('needs a kid if several keys are suitable; unsuitable keys are ignored', async () => {
    const rsa = (await generateKeyPair('RS256')).publicJwk
    const keys = [{ ...second, use: 'enc' }, rsa, { ...issuer, kid: 'a' }, { kty: 'oct', k: 'AAAA', kid: 'a' }, null]
    await expect(resolve(metadata({ jwks: { keys } }), { alg: 'ES256' })).resolves.toMatchObject({
      jwk: { ...issuer, kid: 'a' },
    })
    await expect(resolve(metadata({ jwks: { keys: [issuer, second] } }), { alg: 'ES256' })).rejects.toThrow(
      'kid must name one of them.',
    )
    await expect(resolve(metadata({ jwks: { keys: [issuer] } }), { alg: 'HS256' })).rejects.toThrow(
      'publishes no such key.',
    )
  })

  it('never verifies by a private key that was published by mistake', async () => {
    const { privateJwk } = await generateKeyPair('ES256')
    await expect(resolve(metadata({ jwks: { keys: [{ ...privateJwk, kid: 'a' }] } }))).rejects.toThrow('no such key.')
  })

  it.each([
    'http://issuer.example',
    'https://user:secret@issuer.example',
    'https://issuer.example?a=b',
    'https://issuer.example#a',
    'https://issuer.example/?',
    'ftp://issuer.example',
    'urn:example:issuer',
    'issuer.example',
    'did:web:issuer.example#a',
  ])('is not %s', async (iss) => {
    const io = world({})
    await expect(resolveIssuerKey({ kid: 'a' }, { iss }, io)).rejects.toThrow(
      `The issuer ${iss} is neither a DID nor an https URL without query and fragment.`,
    )
    expect(io.asked).toEqual([])
  })

  it('may use http in development', async () => {
    const iss = 'http://localhost:3000'
    const document = { issuer: iss, jwks: { keys: [{ ...issuer, kid: 'a' }] } }
    const io = world({ 'http://localhost:3000/.well-known/jwt-vc-issuer': document }, { allowHttp: true })
    await expect(resolveIssuerKey({ kid: 'a' }, { iss }, io)).resolves.toMatchObject({ issuer: iss })
  })
})
