import { describe, expect, it } from 'vitest'
import type { ListDefinition } from '../../server/config/trust-lists.js'
import type { TrustList } from '../../server/protocol/trust-lists/trust-list.js'
import { createOwnRemoved, type OwnChain } from '../../server/trust/own-certificates.js'
import type { TestCertificate } from '../protocol/issuer-keys/certificates.js'
import { authority, entity, leafOf, NOW, service } from '../protocol/trust-lists/world.js'

const ours = authority('C=EU/Ours')
const registrar = authority('C=EU/Registrar')
const other = authority('C=EU/Other')
const leaf = leafOf(ours)
const ofRegistrar = leafOf(registrar)

const definitionFor = (purpose: ListDefinition['purpose']): ListDefinition => ({
  url: 'https://lists.example/all.jwt',
  kind: 'lote',
  purpose,
  signer: { sha256: 'a'.repeat(64) },
})

const listWith = (...authorities: readonly TestCertificate[]): TrustList => ({
  kind: 'lote',
  issuedAt: NOW,
  operator: { en: 'Operator' },
  entities: [entity('All', [service(authorities)])],
})

const chain = (name: string, purpose: OwnChain['purpose'], one = leaf): OwnChain => ({ name, purpose, x5c: [one.x5c] })

/** The alert of a change. @param alert the alert about the content before */
const alertOf = (own: readonly OwnChain[], before: TrustList, next: TrustList, alert: string | null = null) => {
  const purposes = [...new Set(own.map(({ purpose }) => purpose))]
  return createOwnRemoved({ ownChains: async () => own })(purposes.map(definitionFor), { before, next, alert }, NOW)
}

const START = 'The list https://lists.example/all.jwt no longer has the certificate of'

describe('an alert about certificates of this installation', () => {
  it('names a certificate once if it counts for two purposes', async () => {
    const own = [chain('issuer 1', 'credentials'), chain('issuer 1', 'verifiers')]
    expect(await alertOf(own, listWith(ours), listWith(other))).toBe(`${START} issuer 1.`)
  })

  it('is not about a verifier if the list has only lost the registrar of this verifier', async () => {
    const own = [chain('verifier 1', 'verifiers'), chain('the registrar of verifier 1', 'registrars', ofRegistrar)]
    const alert = await alertOf(own, listWith(registrar), listWith(other))
    expect(alert).toBe(`${START} the registrar of verifier 1.`)
    // The list never had the certificate of the verifier.
    expect(await alertOf(own, listWith(other), listWith(other), alert)).toBe(alert)
    expect(await alertOf(own, listWith(other), listWith(registrar), alert)).toBeUndefined()
  })

  it('stays for all certificates, also for those that it only counts, until the list has them again', async () => {
    const own = Array.from({ length: 7 }, (_, at) => chain(`issuer ${at}`, 'credentials'))
    const alert = await alertOf(own, listWith(ours), listWith(other))
    expect(alert).toBe(`${START} issuer 0, issuer 1, issuer 2, issuer 3, issuer 4, and 2 more.`)
    expect(await alertOf(own, listWith(other), listWith(other), alert)).toBe(alert)
    expect(await alertOf(own, listWith(other), listWith(ours), alert)).toBeUndefined()
  })
})
