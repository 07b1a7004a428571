import { beforeAll, describe, expect, it } from 'vitest'
import { CredentialError } from '../../../server/protocol/credential/verification.js'
import type { JsonObject } from '../../../server/protocol/json/json-object.js'
import { issueSdJwtVc, type SdJwtVcInput } from '../../../server/protocol/sd-jwt-vc/issue.js'
import { verifySdJwtVc } from '../../../server/protocol/sd-jwt-vc/verify.js'
import { type Actor, actor, countingBytes, decode, later, NOW, NOW_SECONDS, sha256, VCT } from './actors.js'

let issuer: Actor
let holder: Actor

beforeAll(async () => {
  issuer = await actor('did:example:issuer')
  holder = await actor('did:example:holder')
})

function issue(claims: JsonObject, options: Partial<SdJwtVcInput> = {}): Promise<string> {
  return issueSdJwtVc({
    signer: issuer.signer,
    issuer: issuer.id,
    vct: VCT,
    claims,
    selectivelyDisclosable: 'all',
    issuedAt: NOW,
    randomBytes: countingBytes(),
    ...options,
  })
}

function disclosuresOf(compact: string): unknown[][] {
  const parts = compact.split('~').slice(1, -1)
  return parts.map((part) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')))
}

const prettyClaims = async (compact: string) =>
  (await verifySdJwtVc(compact, { resolveIssuerKey: issuer.resolveIssuerKey, now: NOW })).prettyClaims

describe('Issuing an SD-JWT VC', () => {
  it('never conceals the registered claims, and signs with the issuer key and typ dc+sd-jwt (SD-JWT VC, "Data Format")', async () => {
    const compact = await issue(
      { product: 'Lamp' },
      {
        subject: 'did:example:subject',
        holderKey: holder.publicJwk,
        status: { uri: 'https://issuer.example/token-status-lists/1', idx: 17 },
        expiresAt: later(3600.9),
        issuedAt: new Date('2026-03-01T12:00:00.999Z'),
      },
    )
    const { header, payload } = decode(compact)
    expect(header).toEqual({ alg: 'ES256', typ: 'dc+sd-jwt', kid: 'did:example:issuer#0' })
    const { _sd, ...rest } = payload
    expect(_sd).toHaveLength(1)
    expect(rest).toEqual({
      iss: 'did:example:issuer',
      sub: 'did:example:subject',
      iat: NOW_SECONDS,
      exp: NOW_SECONDS + 3600,
      vct: VCT,
      cnf: { jwk: { kty: 'EC', crv: 'P-256', x: holder.publicJwk.x, y: holder.publicJwk.y } },
      status: { status_list: { idx: 17, uri: 'https://issuer.example/token-status-lists/1' } },
      _sd_alg: 'sha-256',
    })
  })

  it('never signs a private key into cnf', async () => {
    const { payload } = decode(await issue({}, { holderKey: { ...holder.publicJwk, d: 'c2VjcmV0', kid: 'k' } }))
    expect(payload.cnf).toEqual({ jwk: { kty: 'EC', crv: 'P-256', x: holder.publicJwk.x, y: holder.publicJwk.y } })
  })

  it('names a holder key by a given DID URL, and refuses an unsupported type', async () => {
    const { payload } = decode(await issue({}, { holderKey: { kid: 'did:example:holder#1' } }))
    expect(payload.cnf).toEqual({ kid: 'did:example:holder#1' })
    await expect(issue({}, { holderKey: { kty: 'oct', k: 'AAAA' } })).rejects.toThrow(
      'Holder key is of no supported type.',
    )
  })

  it('uses vc+sd-jwt, x5c and another kid in the header on request', async () => {
    expect(decode(await issue({}, { typ: 'vc+sd-jwt' })).header.typ).toBe('vc+sd-jwt')
    const chained = decode(await issue({}, { x5c: ['MIIB'] })).header
    expect(chained).toEqual({ alg: 'ES256', typ: 'dc+sd-jwt', x5c: ['MIIB'] })
    const both = decode(await issue({}, { x5c: ['MIIB'], issuerKid: 'thumb' })).header
    expect(both).toEqual({ alg: 'ES256', typ: 'dc+sd-jwt', x5c: ['MIIB'], kid: 'thumb' })
  })

  it('conceals every top-level claim by default, each with a fresh salt of 128 bits (RFC 9901 §4.2.1)', async () => {
    const claims = {
      product: 'Lamp',
      price: 12.5,
      address: { city: 'Łódź' },
      tags: ['a', 'b'],
      gift: null,
      used: false,
    }
    const compact = await issue(claims)
    const { payload } = decode(compact)
    for (const name of Object.keys(claims)) expect(payload).not.toHaveProperty(name)
    const disclosures = disclosuresOf(compact)
    expect(disclosures.map(([, name, value]) => [name, value])).toEqual(Object.entries(claims))
    const salts = disclosures.map(([salt]) => String(salt))
    expect(new Set(salts).size).toBe(6)
    for (const salt of salts) expect(Buffer.from(salt, 'base64url')).toHaveLength(16)
    // §4.2.4.1: the order of the digests does not depend on the claims.
    const digests = compact.split('~').slice(1, -1).map(sha256)
    expect(payload._sd).toEqual(digests.toSorted())
    expect(await prettyClaims(compact)).toMatchObject(claims)
  })

  it('conceals only listed claims, also nested claims and array elements by path, and ignores paths that do not exist', async () => {
    const claims = {
      name: 'Ada',
      'https://example.com/level': 3,
      address: { city: 'Turin', street: 'Via Po', geo: { lat: 1, lon: 2 } },
      nationalities: ['IT', 'CH'],
      orders: [
        { id: 1, total: 5 },
        { id: 2, total: 6 },
      ],
    }
    const selectivelyDisclosable = [
      'https://example.com/level',
      'address',
      'address.street',
      'address.geo.lat',
      'nationalities.1',
      'orders.*.total',
      'nickname',
      'name.first',
    ]
    const compact = await issue(claims, { selectivelyDisclosable })
    const { payload } = decode(compact)
    expect(payload.name).toBe('Ada')
    expect(payload.nationalities).toEqual(['IT', { '...': expect.any(String) }])
    expect(payload.orders).toEqual([
      { id: 1, _sd: [expect.any(String)] },
      { id: 2, _sd: [expect.any(String)] },
    ])
    const address = disclosuresOf(compact).find(([, name]) => name === 'address')
    expect(address?.[2]).toEqual({
      city: 'Turin',
      geo: { lon: 2, _sd: [expect.any(String)] },
      _sd: [expect.any(String)],
    })
    expect(disclosuresOf(compact)).toHaveLength(7)
    expect(await prettyClaims(compact)).toMatchObject(claims)
  })

  it('has neither _sd nor _sd_alg nor a disclosure when nothing is selectively disclosable (SD-JWT VC, "SD-JWT VC without Selectively Disclosable Claims")', async () => {
    const compact = await issue({ name: 'Ada' }, { selectivelyDisclosable: [] })
    expect(decode(compact).payload).toEqual({ iss: issuer.id, iat: NOW_SECONDS, vct: VCT, name: 'Ada' })
    expect(compact.endsWith('~')).toBe(true)
    expect(compact.split('~')).toHaveLength(2)
  })

  it('adds decoys that look like any other digest (RFC 9901 §4.2.5)', async () => {
    const compact = await issue({ name: 'Ada' }, { decoys: 3 })
    const digests = decode(compact).payload._sd as string[]
    expect(digests).toHaveLength(4)
    for (const digest of digests) expect(Buffer.from(digest, 'base64url')).toHaveLength(32)
    expect(digests).toEqual(digests.toSorted())
    expect(disclosuresOf(compact)).toHaveLength(1)
    expect(await prettyClaims(compact)).toMatchObject({ name: 'Ada' })
  })

  it('keeps claims with the names of members of Object.prototype', async () => {
    const claims = { constructor: 'ACME', toString: 0, valueOf: { hasOwnProperty: false }, _sd_decoy: 2 }
    const all = await issue(claims)
    expect(await prettyClaims(all)).toMatchObject(claims)
    const nested = await issue(
      { building: claims },
      { selectivelyDisclosable: ['building.constructor', 'building.toString'] },
    )
    expect(await prettyClaims(nested)).toMatchObject({ building: claims })
    expect(disclosuresOf(nested).map(([, name]) => name)).toEqual(['constructor', 'toString'])
  })

  describe.each([
    'iss',
    'sub',
    'aud',
    'exp',
    'nbf',
    'iat',
    'jti',
    'cnf',
    'vct',
    'vct#integrity',
    'aka_vcts',
    'status',
    '_sd_alg',
  ])('a subject claim %s', (name) => {
    it('is refused by name, because it would look like a claim of the credential itself', async () => {
      await expect(issue({ [name]: 'x' })).rejects.toThrow(
        new CredentialError(`Subject claim ${name} collides with the registered claim of the same name.`),
      )
    })
  })

  it.each(['_sd', '...', '_sd_alg', '', '__proto__'])(
    'refuses the name "%s" at any depth (RFC 9901 §4.1)',
    async (name) => {
      const claims = JSON.parse(`{"list": [{"a": {${JSON.stringify(name)}: ["x"]}}]}`)
      await expect(issue(claims)).rejects.toThrow(
        new CredentialError(`Subject claim name "${name}" cannot be used in an SD-JWT.`),
      )
    },
  )

  it('refuses claims with too many levels', async () => {
    let claims: JsonObject = {}
    for (let depth = 0; depth < 70; depth++) claims = { deeper: claims }
    await expect(issue(claims)).rejects.toThrow('Subject claims are nested deeper than 64 levels.')
  })

  it.each(['exp', 'cnf.jwk', 'status'])(
    'refuses to make %s selectively disclosable (SD-JWT VC, "Registered JWT Claims")',
    async (path) => {
      const [name] = path.split('.')
      await expect(issue({ a: 1 }, { selectivelyDisclosable: [path] })).rejects.toThrow(
        new CredentialError(`Claim ${name} must not be selectively disclosable.`),
      )
    },
  )
})
