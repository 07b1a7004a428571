import { describe, expect, it } from 'vitest'
import { didDocument } from '../../../server/protocol/did/did-document.js'
import { didJwk } from '../../../server/protocol/did/did-jwk.js'
import { didKeyFromJwk } from '../../../server/protocol/did/did-key.js'
import { IssuerKeyError, resolveIssuerKey } from '../../../server/protocol/issuer-keys/resolve-issuer-key.js'
import { generateKeyPair } from '../../../server/protocol/jose/jws.js'
import { world } from './world.js'

const issuer = (await generateKeyPair('ES256')).publicJwk
const second = (await generateKeyPair('ES256')).publicJwk
const mallory = (await generateKeyPair('ES256')).publicJwk

const WEB = 'did:web:issuer.example'

const webDocument = (keys: { id: string; jwk: typeof issuer }[]) => ({
  'https://issuer.example/.well-known/did.json': didDocument({ did: WEB, keys }),
})

describe('a DID issuer', () => {
  it.each([
    ['did:key', didKeyFromJwk(issuer), `#${didKeyFromJwk(issuer).slice('did:key:'.length)}`],
    ['did:jwk', didJwk(issuer), '#0'],
  ])('signs as %s with the key in the DID itself', async (_, iss, fragment) => {
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

  it('needs a kid if it has several keys', async () => {
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
    ['a DID that begins like the issuer', `${WEB}:mallory#a`],
    ['a DID that is the beginning of the issuer', 'did:web:issuer.exam#a'],
    ['the issuer in another case', 'did:web:Issuer.example#a'],
    ['an https URL', 'https://mallory.example/keys#a'],
    ['a bare name', 'a'],
  ])('never signs with a key of %s', async (_, kid) => {
    const io = world(webDocument([{ id: '#a', jwk: issuer }]))
    await expect(resolveIssuerKey({ kid }, { iss: WEB }, io)).rejects.toThrow(
      `The kid does not belong to the issuer ${WEB}.`,
    )
  })

  it.each([`${WEB}/..#a`, `${WEB}?versionId=1#a`, `${WEB}#b`, '#b', '#'])(
    'has no key that is named %s',
    async (kid) => {
      const io = world(webDocument([{ id: '#a', jwk: issuer }]))
      await expect(resolveIssuerKey({ kid }, { iss: WEB }, io)).rejects.toThrow(
        `The kid is no assertionMethod of the issuer ${WEB}.`,
      )
    },
  )

  it('resolves no other DID that a kid names', async () => {
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

  it('is not accepted with the document of another DID, from any resolver', async () => {
    const document = didDocument({ did: 'did:web:mallory.example', keys: [{ id: '#a', jwk: mallory }] })
    await expect(resolveIssuerKey({ kid: '#a' }, { iss: WEB }, world({}, { document }))).rejects.toThrow(
      `The DID document of ${WEB} is that of another DID.`,
    )
  })

  it('has an error with the reason why its document is not usable', async () => {
    await expect(resolveIssuerKey({}, { iss: WEB }, world({}))).rejects.toEqual(
      expect.objectContaining({ name: 'IssuerKeyError', message: `The DID document of ${WEB} could not be fetched.` }),
    )
    await expect(resolveIssuerKey({}, { iss: 'did:ion:abc' }, world({}))).rejects.toThrow(
      'DID method ion is not supported.',
    )
  })

  it('returns a failure of the service itself unchanged', async () => {
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

describe('the issuer of a payload', () => {
  const did = didJwk(issuer)

  it('of VCDM 2.0 may be in issuer (VC-JOSE-COSE)', async () => {
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

  it('is not a claim that has this name by chance', async () => {
    await expect(resolveIssuerKey({}, { vct: 'a', issuer: did }, world({}))).rejects.toThrow('The issuer is missing.')
  })

  it.each([[5], [''], [null], [{ id: WEB }]])('is not %j', async (iss) => {
    await expect(resolveIssuerKey({}, { iss }, world({}))).rejects.toBeInstanceOf(IssuerKeyError)
  })

  it('has a limited length', async () => {
    const iss = `https://issuer.example/${'a'.repeat(4096)}`
    await expect(resolveIssuerKey({}, { iss }, world({}))).rejects.toThrow('The issuer is longer than 4096 characters.')
  })

  it('is not decided by a kid that is not a string', async () => {
    await expect(resolveIssuerKey({ kid: 5 }, { iss: did }, world({}))).rejects.toThrow('The kid must be a string.')
  })
})
