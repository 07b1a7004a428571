import type { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type DidDocument, didDocument } from '../../../server/protocol/did/did-document.js'
import { didJwk } from '../../../server/protocol/did/did-jwk.js'
import { didKeyFromJwk } from '../../../server/protocol/did/did-key.js'
import { resolveDid } from '../../../server/protocol/did/resolve-did.js'
import {
  IssuerKeyError,
  type IssuerKeyIo,
  resolveIssuerKey,
} from '../../../server/protocol/issuer-keys/resolve-issuer-key.js'
import { generateKeyPair } from '../../../server/protocol/jose/jws.js'
import { makeCertificate } from './certificates.js'

const issuer = (await generateKeyPair('ES256')).publicJwk
const second = (await generateKeyPair('ES256')).publicJwk
const mallory = (await generateKeyPair('ES256')).publicJwk

const WEB = 'did:web:issuer.example'
const URL_ISSUER = 'https://issuer.example/tenant/1234'
const METADATA = 'https://issuer.example/.well-known/jwt-vc-issuer/tenant/1234'

/** A world that serves the given JSON documents by address, did:web documents included. */
function world(
  documents: Record<string, unknown>,
  options: { trustAnchors?: X509Certificate[]; allowHttp?: boolean; document?: DidDocument } = {},
): IssuerKeyIo & { asked: string[] } {
  const { trustAnchors = [], allowHttp = false, document } = options
  const asked: string[] = []
  const fetchJson = async (url: string) => {
    asked.push(url)
    if (!(url in documents)) throw new Error(`404 ${url}`)
    return documents[url]
  }
  return {
    asked,
    fetchJson,
    resolveDid: async (did) => document ?? resolveDid(did, { fetchJson, allowHttp }),
    trustAnchors,
    now: new Date('2026-06-01T00:00:00Z'),
    allowHttp,
  }
}

const webDocument = (keys: { id: string; jwk: typeof issuer }[]) => ({
  'https://issuer.example/.well-known/did.json': didDocument({ did: WEB, keys }),
})

describe('a DID issuer', () => {
  it.each([
    ['did:key', didKeyFromJwk(issuer), `#${didKeyFromJwk(issuer).slice('did:key:'.length)}`],
    ['did:jwk', didJwk(issuer), '#0'],
  ])('signs as %s with the key that it is', async (_, iss, fragment) => {
    const io = world({})
    for (const kid of [undefined, fragment, `${iss}${fragment}`, iss]) {
      await expect(resolveIssuerKey({ alg: 'ES256', kid }, { iss }, io)).resolves.toEqual({
        jwk: issuer,
        issuer: iss,
        method: 'did',
      })
    }
    expect(io.asked).toEqual([])
  })

  it('signs as did:web with the assertionMethod that kid names', async () => {
    const io = world(
      webDocument([
        { id: '#a', jwk: issuer },
        { id: '#b', jwk: second },
      ]),
    )
    await expect(resolveIssuerKey({ kid: `${WEB}#b` }, { iss: WEB }, io)).resolves.toEqual({
      jwk: second,
      issuer: WEB,
      method: 'did',
    })
    await expect(resolveIssuerKey({ kid: '#a' }, { iss: WEB }, io)).resolves.toMatchObject({ jwk: issuer })
  })

  it('needs a kid where it has several keys', async () => {
    const io = world(
      webDocument([
        { id: '#a', jwk: issuer },
        { id: '#b', jwk: second },
      ]),
    )
    await expect(resolveIssuerKey({}, { iss: WEB }, io)).rejects.toThrow(
      `Without kid, ${WEB} must have exactly one assertionMethod.`,
    )
    await expect(
      resolveIssuerKey({}, { iss: WEB }, world(webDocument([{ id: '#a', jwk: issuer }]))),
    ).resolves.toMatchObject({ jwk: issuer })
  })

  it.each([
    ['another did:key', `${didKeyFromJwk(mallory)}#${didKeyFromJwk(mallory).slice(8)}`],
    ['another did:jwk', `${didJwk(mallory)}#0`],
    ['a DID that starts like the issuer', `${WEB}:mallory#a`],
    ['a DID that the issuer starts like', 'did:web:issuer.exam#a'],
    ['the issuer in other letters', 'did:web:Issuer.example#a'],
    ['an https URL', 'https://mallory.example/keys#a'],
    ['a bare name', 'a'],
    ['a path beneath the issuer', `${WEB}/..#a`],
  ])('never signs with a key of %s', async (_, kid) => {
    const io = world(webDocument([{ id: '#a', jwk: issuer }]))
    await expect(resolveIssuerKey({ kid }, { iss: WEB }, io)).rejects.toBeInstanceOf(IssuerKeyError)
  })

  it('resolves nothing on behalf of a kid of another DID', async () => {
    const io = world({})
    await expect(resolveIssuerKey({ kid: 'did:web:mallory.example#a' }, { iss: WEB }, io)).rejects.toThrow(
      `The kid does not belong to the issuer ${WEB}.`,
    )
    expect(io.asked).toEqual([])
  })

  it('does not sign with a key for authentication only', async () => {
    const document = didDocument({ did: WEB, keys: [{ id: '#a', jwk: issuer }] })
    const io = world({ 'https://issuer.example/.well-known/did.json': { ...document, assertionMethod: [] } })
    await expect(resolveIssuerKey({ kid: '#a' }, { iss: WEB }, io)).rejects.toThrow(
      `The kid is no assertionMethod of the issuer ${WEB}.`,
    )
  })

  it('is not believed by the document of another DID, whoever hands it over', async () => {
    const document = didDocument({ did: 'did:web:mallory.example', keys: [{ id: '#a', jwk: mallory }] })
    await expect(resolveIssuerKey({ kid: '#a' }, { iss: WEB }, world({}, { document }))).rejects.toThrow(
      `The DID document of ${WEB} is that of another DID.`,
    )
  })

  it('passes on why its document is not usable', async () => {
    await expect(resolveIssuerKey({}, { iss: WEB }, world({}))).rejects.toEqual(
      expect.objectContaining({ name: 'IssuerKeyError', message: `The DID document of ${WEB} could not be fetched.` }),
    )
    await expect(resolveIssuerKey({}, { iss: 'did:ion:abc' }, world({}))).rejects.toThrow(
      'DID method ion is not supported.',
    )
  })

  it('lets a failure of the service itself through as what it is', async () => {
    const outage = new Error('database is away')
    const io = { ...world({}), resolveDid: () => Promise.reject(outage) }
    await expect(resolveIssuerKey({}, { iss: WEB }, io)).rejects.toBe(outage)
  })

  it('is never taken from a key in the header', async () => {
    const io = world(webDocument([{ id: '#a', jwk: issuer }]))
    const header = { jwk: mallory, jku: 'https://mallory.example/jwks', kid: '#a' }
    await expect(resolveIssuerKey(header, { iss: WEB }, io)).resolves.toMatchObject({ jwk: issuer })
    expect(io.asked).toEqual(['https://issuer.example/.well-known/did.json'])
    await expect(resolveIssuerKey({ jwk: mallory }, {}, io)).rejects.toThrow('The issuer is missing.')
  })
})

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

  it('may keep them in a set of their own', async () => {
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
  ])('is not believed by the metadata of %s', async (_, other) => {
    await expect(resolve(metadata({ issuer: other }))).rejects.toThrow(
      `The metadata of the issuer ${URL_ISSUER} is that of another issuer.`,
    )
  })

  it.each([
    ['both jwks and jwks_uri', metadata({ jwks_uri: 'https://keys.example/jwks' })],
    ['neither', { issuer: URL_ISSUER }],
    ['no issuer', { jwks: { keys: [] } }],
    ['keys that are no array', metadata({ jwks: { keys: {} } })],
    ['no JSON object', 'text'],
  ])('is refused with %s', async (_, document) => {
    await expect(resolve(document)).rejects.toThrow(`The metadata of the issuer ${URL_ISSUER} is malformed.`)
  })

  it('is refused when a key set cannot be had, or not over https', async () => {
    const withUri = (jwks_uri: string) => resolve({ issuer: URL_ISSUER, jwks_uri })
    await expect(withUri('https://keys.example/jwks')).rejects.toThrow('The key set of the issuer')
    await expect(withUri('http://keys.example/jwks')).rejects.toThrow('is not an https URL.')
    await expect(withUri('file:///etc/passwd')).rejects.toThrow('is not an https URL.')
    await expect(withUri('https://a:b@keys.example/jwks')).rejects.toThrow('is not an https URL.')
    await expect(resolveIssuerKey({ kid: 'a' }, { iss: URL_ISSUER }, world({}))).rejects.toThrow(
      'could not be fetched.',
    )
  })

  it('is refused where kid names none of its keys', async () => {
    await expect(resolve(metadata(), { kid: 'b', alg: 'ES256' })).rejects.toThrow(
      `The issuer ${URL_ISSUER} publishes no such key.`,
    )
  })

  it('needs a kid where several keys fit, and skips those that do not', async () => {
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

  it('may be an http one in development', async () => {
    const iss = 'http://localhost:3000'
    const document = { issuer: iss, jwks: { keys: [{ ...issuer, kid: 'a' }] } }
    const io = world({ 'http://localhost:3000/.well-known/jwt-vc-issuer': document }, { allowHttp: true })
    await expect(resolveIssuerKey({ kid: 'a' }, { iss }, io)).resolves.toMatchObject({ issuer: iss })
  })
})

describe('the issuer of a payload', () => {
  const did = didJwk(issuer)

  it('of VCDM 2.0 may stand in issuer (VC-JOSE-COSE)', async () => {
    const context = { '@context': ['https://www.w3.org/ns/credentials/v2'] }
    for (const named of [did, { id: did, name: 'Example' }]) {
      await expect(resolveIssuerKey({}, { ...context, issuer: named }, world({}))).resolves.toMatchObject({
        issuer: did,
      })
    }
    await expect(resolveIssuerKey({}, { ...context, iss: WEB, issuer: did }, world({}))).rejects.toThrow(
      'iss and issuer name different issuers.',
    )
  })

  it('is not a claim that happens to have that name', async () => {
    await expect(resolveIssuerKey({}, { vct: 'a', issuer: did }, world({}))).rejects.toThrow('The issuer is missing.')
  })

  it.each([[5], [''], [null], [{ id: WEB }], [`did:web:${'a'.repeat(5000)}`]])('is not %j', async (iss) => {
    await expect(resolveIssuerKey({}, { iss }, world({}))).rejects.toBeInstanceOf(IssuerKeyError)
  })

  it('is not decided by a kid that is no string', async () => {
    await expect(resolveIssuerKey({ kid: 5 }, { iss: did }, world({}))).rejects.toThrow('The kid must be a string.')
  })
})

describe('an issuer with x5c', () => {
  const root = makeCertificate({ subject: 'Root', ca: true, keyUsage: 0x04 })
  const leafFor = (names: { dns?: string[]; uri?: string[] }) =>
    makeCertificate({ subject: 'Issuer', issuer: root, keyUsage: 0x80, ...names })
  const resolve = (leaf: { x5c: string }, payload: Record<string, unknown>, header: Record<string, unknown> = {}) =>
    resolveIssuerKey({ x5c: [leaf.x5c], ...header }, payload, world({}, { trustAnchors: [root.certificate] }))

  it('has the key of the certificate that names it', async () => {
    const leaf = leafFor({ dns: ['other.example', 'issuer.example'] })
    await expect(resolve(leaf, { iss: 'https://issuer.example/tenant' })).resolves.toEqual({
      jwk: leaf.certificate.publicKey.export({ format: 'jwk' }),
      issuer: 'https://issuer.example/tenant',
      method: 'x5c',
    })
    const byUri = leafFor({ uri: [WEB, URL_ISSUER] })
    await expect(resolve(byUri, { iss: WEB })).resolves.toMatchObject({ issuer: WEB, method: 'x5c' })
    await expect(resolve(byUri, { iss: URL_ISSUER })).resolves.toMatchObject({ issuer: URL_ISSUER, method: 'x5c' })
  })

  it.each([
    ['another host', { dns: ['mallory.example'] }, 'https://issuer.example'],
    ['a host beneath it', { dns: ['issuer.example'] }, 'https://a.issuer.example'],
    ['a wildcard', { dns: ['*.example'] }, 'https://issuer.example'],
    ['its host, for another URL', { uri: ['https://issuer.example/a'] }, 'https://issuer.example/b'],
    ['the host of a did:web', { dns: ['issuer.example'] }, WEB],
    ['its host, as user name', { dns: ['issuer.example'] }, 'https://mallory@issuer.example'],
    ['nothing', {}, 'https://issuer.example'],
    ['a list of names in one', { uri: ['https://a.example, DNS:issuer.example'] }, 'https://issuer.example'],
    ['a quoted list in one', { dns: ['a", DNS:issuer.example, DNS:"b'] }, 'https://issuer.example'],
  ])('is not the one of a certificate for %s', async (_, names, iss) => {
    await expect(resolve(leafFor(names), { iss })).rejects.toThrow(
      `The x5c signer certificate is not that of the issuer ${iss}.`,
    )
  })

  it('without iss is the subject of the certificate', async () => {
    const issuerOf = async (names: object) => (await resolve(leafFor(names), { vct: 'a' })).issuer
    await expect(issuerOf({ uri: [URL_ISSUER], dns: ['issuer.example'] })).resolves.toBe(URL_ISSUER)
    await expect(issuerOf({ dns: ['*.issuer.example', 'issuer.example'] })).resolves.toBe('https://issuer.example')
    await expect(issuerOf({})).resolves.toBe('CN=Issuer')
  })

  it('signs by its DID where kid names a key of it', async () => {
    const did = didJwk(issuer)
    const leaf = leafFor({ dns: ['issuer.example'] })
    await expect(resolve(leaf, { iss: did }, { kid: `${did}#0` })).resolves.toEqual({
      jwk: issuer,
      issuer: did,
      method: 'did',
    })
    await expect(resolve(leaf, { iss: did }, { kid: 'thumbprint' })).rejects.toThrow('is not that of the issuer')
  })

  it('is found by what it publishes where no root is configured', async () => {
    const leaf = leafFor({ dns: ['issuer.example'] })
    const did = didJwk(issuer)
    await expect(resolveIssuerKey({ x5c: [leaf.x5c] }, { iss: did }, world({}))).resolves.toMatchObject({
      method: 'did',
    })
    const io = world({ [METADATA]: { issuer: URL_ISSUER, jwks: { keys: [{ ...issuer, kid: 'a' }] } } })
    await expect(resolveIssuerKey({ x5c: [leaf.x5c], kid: 'a' }, { iss: URL_ISSUER }, io)).resolves.toMatchObject({
      method: 'jwt-vc-issuer',
    })
    await expect(resolveIssuerKey({ x5c: [leaf.x5c] }, {}, world({}))).rejects.toThrow(
      'The x5c certificate chain does not lead to a trust anchor.',
    )
  })

  it('does not fall back to its metadata when its certificate is not trusted', async () => {
    const stranger = makeCertificate({ subject: 'Stranger', ca: true, keyUsage: 0x04 })
    const leaf = makeCertificate({ subject: 'Issuer', issuer: stranger, dns: ['issuer.example'] })
    await expect(resolve(leaf, { iss: 'https://issuer.example' })).rejects.toThrow('does not lead to a trust anchor.')
  })
})
