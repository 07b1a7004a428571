import { describe, expect, it, vi } from 'vitest'
import { onlyTrusted, trustAlso, trustIn } from '../../../server/verifier/presentations/trust.js'

const OWN = 'did:web:issuer.example:1'
const deps = {
  config: { issuerBaseUrl: 'https://issuer.example' },
  stores: { dids: { isIssuer: async (did: string) => did === OWN } },
} as unknown as Parameters<typeof trustIn>[0]

describe('TRUSTED_ISSUERS', () => {
  it.each([
    [['self'], OWN, true],
    [['self'], 'https://issuer.example', true],
    [['self'], 'did:web:other.example', false],
    [['self'], 'https://issuer.example.evil.example', false],
    [['self'], 'https://issuer.example/tenant', false],
    [[], OWN, false],
    [['did:web:other.example'], 'did:web:other.example', true],
    [['did:web:other.example'], 'did:web:other.example:sub', false],
    [['did:web:other.example'], OWN, false],
    [['https://other.example'], 'https://other.example', true],
    [['https://other.example'], 'https://other.example/tenant/1', true],
    [['https://other.example:443'], 'https://other.example', true],
    [['https://other.example'], 'https://other.example:8443', false],
    [['https://other.example'], 'https://other.example@evil.example', false],
    [['https://other.example'], 'did:web:other.example', false],
    [['*'], 'anyone at all', true],
  ])('%j and %s: %s', async (entries, issuer, trusted) => {
    expect(await trustIn(deps, entries)(issuer)).toBe(trusted)
  })

  it('takes whom a request names beside them', async () => {
    const trust = trustAlso(trustIn(deps, ['self']), ['did:web:named.example'])
    expect([await trust('did:web:named.example'), await trust(OWN), await trust('did:web:other.example')]).toEqual([
      true,
      true,
      false,
    ])
  })
})

describe('finding the key of a trusted issuer', () => {
  const trust = (issuer: string) => issuer === 'did:web:good.example'

  it('does not even look for the key of a stranger, whose address it would be', async () => {
    const resolve = vi.fn()
    const found = onlyTrusted(resolve, trust)({}, { iss: 'did:web:evil.example' })
    await expect(found).rejects.toThrow('Issuer did:web:evil.example is not trusted.')
    expect(resolve).not.toHaveBeenCalled()
  })

  it('nor where the stranger is named by the issuer of a document without iss (VC-JOSE-COSE)', async () => {
    for (const issuer of ['https://evil.example', { id: 'https://evil.example' }]) {
      const resolve = vi.fn()
      const found = onlyTrusted(resolve, trust)({}, { '@context': [], issuer })
      await expect(found).rejects.toThrow('Issuer https://evil.example is not trusted.')
      expect(resolve).not.toHaveBeenCalled()
    }
  })

  it('judges also the name that the key was found under', async () => {
    const resolve = async () => ({ jwk: {} as never, issuer: 'did:web:evil.example' })
    await expect(onlyTrusted(resolve, trust)({}, {})).rejects.toThrow('Issuer did:web:evil.example is not trusted.')
    await expect(onlyTrusted(resolve, trust)({}, { iss: 'did:web:good.example' })).rejects.toThrow('is not trusted.')
  })

  it('does not repeat a name without end', async () => {
    const found = onlyTrusted(vi.fn(), trust)({}, { iss: `did:${'x'.repeat(4_000)}` })
    await expect(found).rejects.toThrow(/^.{270,290}$/)
  })
})
