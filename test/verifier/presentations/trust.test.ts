import { describe, expect, it } from 'vitest'
import type { ResolveIssuerKey } from '../../../server/protocol/credential/verification.js'
import { onlyTrusted, trustAdded, trustAlso, trustIn } from '../../../server/verifier/presentations/trust.js'

const OWN = 'did:web:issuer.example:1'
const own = {
  config: { issuerBaseUrl: 'https://issuer.example' },
  isOwnIssuer: async (did: string) => did === OWN,
}

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
    [['self'], 'self', false],
    [['x5c'], 'x5c', false],
    [['x5c'], OWN, false],
  ])('%j and %s: %s', async (entries, issuer, trusted) => {
    expect(await trustIn(own, entries).named(issuer)).toBe(trusted)
  })

  it('are extended by the issuers in a VP query', async () => {
    const { named } = trustAlso(trustIn(own, ['self']), ['did:web:named.example'])
    expect([await named('did:web:named.example'), await named(OWN), await named('did:web:other.example')]).toEqual([
      true,
      true,
      false,
    ])
  })
})

describe('issuers that were added to TRUSTED_ISSUERS', () => {
  it('are looked up only by names that can be added, so that no text of a stranger reaches the database', async () => {
    const asked: string[] = []
    const { named } = trustAdded(trustIn(own, []), async (name) => asked.push(name) > 0)
    for (const issuer of ['did:web:added.example', 'https://added.example/tenant'])
      expect(await named(issuer)).toBe(true)
    for (const issuer of [
      'C=DE, O=Club',
      'x5c',
      '*',
      '',
      'did:web:nul\0',
      'did:web:a.example?b',
      'did:web:a.example#b',
    ])
      expect(await named(issuer), issuer).toBe(false)
    expect(asked).toEqual(['did:web:added.example', 'https://added.example'])
  })
})

describe('finding the key of a trusted issuer', () => {
  const trust = { named: (issuer: string) => issuer === 'did:web:good.example', certified: false }
  const never = async () => Promise.reject(new Error('must not be called'))
  const by = (resolveIssuerKey: ResolveIssuerKey, resolveCertifiedKey: ResolveIssuerKey = never) => ({
    resolveIssuerKey,
    resolveCertifiedKey,
    isAnchored: true,
  })

  it('does not search the key of a stranger, because the search would use an address of the stranger', async () => {
    const found = onlyTrusted(by(never), trust)({}, { iss: 'did:web:evil.example' })
    await expect(found).rejects.toThrow('Issuer did:web:evil.example is not trusted.')
  })

  it('does not search it either if only issuer names the stranger, without iss (VC-JOSE-COSE)', async () => {
    for (const issuer of ['https://evil.example', { id: 'https://evil.example' }]) {
      const found = onlyTrusted(by(never), trust)({}, { '@context': [], issuer })
      await expect(found).rejects.toThrow('Issuer https://evil.example is not trusted.')
    }
  })

  it('also checks the name under which the key was found', async () => {
    const search = by(async () => ({ jwk: {}, issuer: 'did:web:evil.example' }))
    await expect(onlyTrusted(search, trust)({}, {})).rejects.toThrow('Issuer did:web:evil.example is not trusted.')
    await expect(onlyTrusted(search, trust)({}, { iss: 'did:web:good.example' })).rejects.toThrow('is not trusted.')
  })

  it('shortens a long name in the error', async () => {
    const found = onlyTrusted(by(never), trust)({}, { iss: `did:${'x'.repeat(4_000)}` })
    await expect(found).rejects.toThrow(/^.{270,290}$/)
  })

  it('uses only the certificate of an issuer that is trusted only by certificate, and refuses the issuer without one', async () => {
    const certified = { ...trust, certified: true }
    const key = { jwk: {}, issuer: 'CN=Club' }
    const search = by(never, async () => key)
    await expect(onlyTrusted(search, certified)({ x5c: [] }, {})).resolves.toBe(key)
    await expect(onlyTrusted(search, certified)({ x5c: [] }, { iss: 'did:web:evil.example' })).resolves.toBe(key)
    const without = onlyTrusted(search, certified)({}, { iss: 'did:web:evil.example' })
    await expect(without).rejects.toThrow('Issuer did:web:evil.example is not trusted.')
    const named = { jwk: {}, issuer: 'did:web:good.example' }
    const both = onlyTrusted(
      by(async () => named),
      certified,
    )({ x5c: [] }, { iss: named.issuer })
    await expect(both).resolves.toBe(named)
  })
})
