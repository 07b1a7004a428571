import { describe, expect, it } from 'vitest'
import { didJwk } from '../../../server/protocol/did/did-jwk.js'
import { resolveIssuerKey } from '../../../server/protocol/issuer-keys/resolve-issuer-key.js'
import { generateKeyPair } from '../../../server/protocol/jose/jws.js'
import { makeCertificate } from './certificates.js'
import { world } from './world.js'

const issuer = (await generateKeyPair('ES256')).publicJwk

const WEB = 'did:web:issuer.example'
const URL_ISSUER = 'https://issuer.example/tenant/1234'
const METADATA = 'https://issuer.example/.well-known/jwt-vc-issuer/tenant/1234'

describe('an issuer with x5c', () => {
  const root = makeCertificate({ subject: 'Root', ca: true, keyUsage: 0x04 })
  const leafFor = (names: { dns?: string[]; uri?: string[] }) =>
    makeCertificate({ subject: 'Issuer', issuer: root, keyUsage: 0x80, ...names })
  const resolve = (leaf: { x5c: string }, payload: Record<string, unknown>, header: Record<string, unknown> = {}) =>
    resolveIssuerKey({ x5c: [leaf.x5c], ...header }, payload, world({}, { trustAnchors: [root.certificate] }))

  it('has the key of the certificate that names it, the certificate with the key, and the key of its authority', async () => {
    const leaf = leafFor({ dns: ['other.example', 'issuer.example'] })
    const { certificate, ...found } = await resolve(leaf, { iss: 'https://issuer.example/tenant' })
    expect(found).toEqual({
      jwk: leaf.certificate.publicKey.export({ format: 'jwk' }),
      issuer: 'https://issuer.example/tenant',
      method: 'x5c',
      authority: root.certificate.publicKey.export({ format: 'jwk' }),
    })
    expect(certificate?.fingerprint256).toBe(leaf.certificate.fingerprint256)
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
    ['a list of names in one value', { uri: ['https://a.example, DNS:issuer.example'] }, 'https://issuer.example'],
    ['a quoted list in one', { dns: ['a", DNS:issuer.example, DNS:"b'] }, 'https://issuer.example'],
    ['nothing, for a URN', {}, 'urn:eudi:pid:provider'],
    ['no name, for a plain word', {}, 'x5c'],
  ])('is the subject, never an unproven iss: a certificate for %s (SD-JWT VC)', async (_, names, iss) => {
    const leaf = leafFor(names)
    await expect(resolve(leaf, { iss })).resolves.toMatchObject({
      jwk: leaf.certificate.publicKey.export({ format: 'jwk' }),
      issuer: 'CN=Issuer',
      method: 'x5c',
    })
  })

  it.each([
    ['https://issuer.example', 'CN=https://issuer.example'],
    [WEB, `CN=${WEB}`],
    ['C=EU/Issuer', 'C=EU, CN=Issuer'],
    ['a, C=EU\nCN=b', 'CN=a\\, C=EU\\0ACN=b'],
  ])('has the complete name of its subject: %s', async (subject, name) => {
    const leaf = makeCertificate({ subject, issuer: root, keyUsage: 0x80 })
    expect((await resolve(leaf, { iss: 'https://issuer.example' })).issuer).toBe(name)
  })

  it('without iss is the subject of the certificate', async () => {
    const issuerOf = async (names: object) => (await resolve(leafFor(names), { vct: 'a' })).issuer
    await expect(issuerOf({ uri: [URL_ISSUER], dns: ['issuer.example'] })).resolves.toBe(URL_ISSUER)
    await expect(issuerOf({ dns: ['*.issuer.example', 'issuer.example'] })).resolves.toBe('https://issuer.example')
    await expect(issuerOf({})).resolves.toBe('CN=Issuer')
  })

  it('signs with its DID if kid names a key of the DID', async () => {
    const did = didJwk(issuer)
    const leaf = leafFor({ dns: ['issuer.example'] })
    await expect(resolve(leaf, { iss: did }, { kid: `${did}#0` })).resolves.toEqual({
      jwk: issuer,
      issuer: did,
      method: 'did',
    })
    await expect(resolve(leaf, { iss: did }, { kid: 'thumbprint' })).resolves.toMatchObject({
      issuer: 'CN=Issuer',
      method: 'x5c',
    })
  })

  it('is verified by its published keys if no root is configured', async () => {
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
      'The certificate chain does not lead to a trust anchor.',
    )
  })

  it('without a root is verified by its published key for which the certificate was made', async () => {
    const leaf = leafFor({ dns: ['issuer.example'] })
    const certified = leaf.certificate.publicKey.export({ format: 'jwk' })
    const ed25519 = (await generateKeyPair('EdDSA')).publicJwk
    const keys = [issuer, ed25519, certified].map((jwk, at) => ({ ...jwk, kid: `${at}` }))
    const io = world({ [METADATA]: { issuer: URL_ISSUER, jwks: { keys } } })
    const found = (x5c: unknown, header = {}) =>
      resolveIssuerKey({ x5c, alg: 'ES256', ...header }, { iss: URL_ISSUER }, io)
    await expect(found([leaf.x5c])).resolves.toEqual({
      jwk: { ...certified, kid: '2' },
      issuer: URL_ISSUER,
      method: 'jwt-vc-issuer',
    })
    await expect(found([leaf.x5c], { kid: '0' })).resolves.toMatchObject({ jwk: { ...issuer, kid: '0' } })
    await expect(found([leaf.x5c], { alg: 'Ed25519' })).rejects.toThrow('does not publish the key of the certificate')
    const another = makeCertificate({ subject: 'Issuer', issuer: root, dns: ['issuer.example'] })
    await expect(found([another.x5c])).rejects.toThrow(
      `The issuer ${URL_ISSUER} does not publish the key of the certificate.`,
    )
    await expect(found(['no certificate'])).rejects.toThrow('x5c has an entry that is not base64.')
  })

  it('does not fall back to its metadata when its certificate is not trusted', async () => {
    const stranger = makeCertificate({ subject: 'Stranger', ca: true, keyUsage: 0x04 })
    const leaf = makeCertificate({ subject: 'Issuer', issuer: stranger, dns: ['issuer.example'] })
    await expect(resolve(leaf, { iss: 'https://issuer.example' })).rejects.toThrow('does not lead to a trust anchor.')
  })
})
