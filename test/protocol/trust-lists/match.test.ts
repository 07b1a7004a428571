import { describe, expect, it, vi } from 'vitest'
import { compileAnchors } from '../../../server/protocol/trust-lists/match/anchors.js'
import type {
  AnchorSource,
  NotTrusted,
  Trusted,
  TrustQuery,
} from '../../../server/protocol/trust-lists/match/answers.js'
import { matchChain } from '../../../server/protocol/trust-lists/match/match.js'
import type { TrustedEntity } from '../../../server/protocol/trust-lists/trust-list.js'
import { makeCertificate, type TestCertificate } from '../issuer-keys/certificates.js'
import { authority, entity, leafOf, NOW, REVOCATION, SIGN, service, strangeKey } from './world.js'

const later = new Date('2026-07-01T00:00:00Z')

const source = (entities: readonly TrustedEntity[], more: Partial<AnchorSource> = {}): AnchorSource => ({
  id: 'pid',
  list: { kind: 'lote', issuedAt: new Date('2026-05-01'), operator: { en: 'Operator' }, entities },
  until: new Date('2026-08-01T00:00:00Z'),
  ...more,
})

const query = (more: Partial<TrustQuery> = {}) =>
  ({ now: NOW, use: 'issuance', purpose: 'credential', ...more }) as const

const match = (chain: readonly TestCertificate[], sources: readonly AnchorSource[], more: Partial<TrustQuery> = {}) =>
  matchChain(
    chain.map(({ x5c }) => x5c),
    compileAnchors(sources),
    query(more),
  )

const found = (answer: ReturnType<typeof matchChain>): Trusted => {
  if (!answer.trusted) throw new Error(answer.sentence)
  return answer
}
const missed = (answer: ReturnType<typeof matchChain>): NotTrusted => {
  if (answer.trusted) throw new Error('The chain is trusted.')
  return answer
}

const root = authority('C=EU/Root')
const leaf = leafOf(root)

describe('a chain that leads to a service of a list', () => {
  it('is found by its authority', () => {
    const ministry = entity('Ministry', [service([root])])
    const answer = found(match([leaf], [source([entity('Other', [service([authority('C=EU/Other')])]), ministry])]))
    expect(answer).toMatchObject({ by: 'chain', found: { owner: { entity: ministry, source: { id: 'pid' } } } })
    expect(answer.jwk).toEqual(leaf.certificate.publicKey.export({ format: 'jwk' }))
    expect(answer.path.map(({ raw }) => raw)).toEqual([leaf.certificate.raw, root.certificate.raw])
  })

  it('is found through intermediate authorities, and at one that is listed itself', () => {
    const middle = authority('C=EU/Middle', { issuer: root })
    const below = leafOf(middle)
    expect(match([below, middle], [source([entity('A', [service([root])])])])).toMatchObject({ by: 'chain' })
    expect(match([below, middle, root], [source([entity('A', [service([root])])])])).toMatchObject({ by: 'chain' })
    expect(match([below], [source([entity('A', [service([middle])])])])).toMatchObject({ by: 'chain' })
    expect(match([below, middle], [source([entity('A', [service([middle])])])])).toMatchObject({ by: 'chain' })
  })

  it('is found by key identifiers, among many authorities of one name', () => {
    const identified = (id: string, name: string) =>
      authority(name, { extensions: [{ id: '551d0e', critical: false, value: `0404${id}` }] })
    const crowd = Array.from({ length: 100 }, (_, at) => identified(`000000${(at + 16).toString(16)}`, 'C=EU/Same'))
    const wanted = identified('aabbccdd', 'C=EU/Same')
    const below = leafOf(wanted, { extensions: [{ id: '551d23', critical: false, value: '30068004aabbccdd' }] })
    const listed = source([...crowd, wanted].map((one, at) => entity(`E${at}`, [service([one])])))
    const answer = found(match([below], [listed]))
    expect(answer.found.owner.entity.names).toEqual({ en: 'E100' })
  })

  it('is found if the signer itself is listed, by certificate', () => {
    const alone = makeCertificate({ subject: 'C=EU/Alone', keyUsage: SIGN })
    const answer = found(match([alone], [source([entity('A', [service([alone])])])]))
    expect(answer).toMatchObject({ by: 'certificate', path: [expect.anything()] })
  })

  it('is found by key: the listed certificate counts, and not the one that was sent', () => {
    const listed = makeCertificate({ subject: 'C=EU/Alone', keyUsage: SIGN, dns: ['issuer.example'] })
    const keyPair = { privateKey: listed.privateKey, publicKey: listed.certificate.publicKey }
    const other = makeCertificate({ subject: 'C=EU/Alone', keyUsage: SIGN, dns: ['bank.example'], keyPair })
    const answer = found(match([other], [source([entity('A', [service([listed])])])]))
    expect(answer.by).toBe('key')
    expect(answer.path.map(({ raw }) => raw)).toEqual([listed.certificate.raw])
  })

  it('leads to a status list of the same entity', () => {
    const statusRoot = authority('C=EU/Status')
    const statusLeaf = leafOf(statusRoot)
    const ministry = entity('Ministry', [
      service([root]),
      service([statusRoot], { type: REVOCATION, uses: ['status'] }),
    ])
    const anchors = compileAnchors([source([ministry])])
    const { owner } = found(matchChain([leaf.x5c], anchors, query())).found
    expect(matchChain([statusLeaf.x5c], anchors, query({ use: 'status', entity: owner }))).toMatchObject({
      trusted: true,
    })
  })

  it('holds as long as the certificates, the service and the list', () => {
    const ends = new Date('2026-06-10T00:00:00Z')
    const starts = new Date('2026-02-01T00:00:00Z')
    const of = (more: object) => found(match([leaf], [source([entity('A', [service([root], more)])])]))
    expect(of({})).toMatchObject({ until: Date.parse('2026-08-01T00:00:00Z') })
    expect(of({ endsAt: ends, startsAt: starts })).toMatchObject({ until: ends.getTime(), from: starts.getTime() })
    const short = leafOf(root, { notAfter: '2026-06-05T00:00:00Z' })
    expect(found(match([short], [source([entity('A', [service([root])])])])).until).toBe(
      Date.parse('2026-06-05T00:00:00Z'),
    )
  })

  it('is verified once, and again when the answer has ended', () => {
    const anchors = compileAnchors([source([entity('A', [service([root], { endsAt: later })])])])
    const verify = vi.spyOn(Object.getPrototypeOf(root.certificate), 'verify')
    try {
      expect(matchChain([leaf.x5c], anchors, query()).trusted).toBe(true)
      const first = verify.mock.calls.length
      expect(first).toBeGreaterThan(0)
      expect(matchChain([leaf.x5c], anchors, query()).trusted).toBe(true)
      expect(verify.mock.calls.length).toBe(first)
    } finally {
      verify.mockRestore()
    }
    expect(missed(matchChain([leaf.x5c], anchors, query({ now: later }))).reason).toBe('withdrawn')
  })
})

describe('a chain that does not lead to a service that counts', () => {
  it('has no anchor: the subject and the names of a listed signer prove nothing with another key', () => {
    const names = { subject: 'C=EU/Alone', dns: ['issuer.example'] }
    const [listed, double] = [leafOf(authority('C=EU/Above'), names), leafOf(authority('C=EU/Elsewhere'), names)]
    expect(missed(match([double], [source([entity('A', [service([listed])])])])).reason).toBe('no-anchor')
  })

  it('has no anchor: a name alone proves nothing', () => {
    const twin = authority('C=EU/Root')
    expect(missed(match([leaf], [source([])]))).toEqual({
      trusted: false,
      reason: 'no-anchor',
      sentence: 'The certificate chain leads to no service of a trusted list.',
      looked: [],
    })
    expect(missed(match([leaf], [source([entity('A', [service([twin])])])]))).toMatchObject({
      reason: 'chain',
      sentence: 'The certificate chain does not lead to a trust anchor.',
    })
  })

  it('goes through an intermediate authority that is not on the list', () => {
    const middle = authority('C=EU/Middle', { issuer: authority('C=EU/Elsewhere') })
    expect(missed(match([leafOf(middle), middle], [source([entity('A', [service([root])])])])).reason).toBe('no-anchor')
  })

  const cases: readonly [NotTrusted['reason'], object, Partial<TrustQuery>, Partial<AnchorSource>?][] = [
    ['other-use', { uses: ['status'] }, {}],
    ['other-use', { uses: [] }, {}],
    ['withdrawn', { status: 'withdrawn', endsAt: NOW }, {}],
    ['withdrawn', { status: 'granted', endsAt: new Date('2026-01-01T00:00:00Z') }, {}],
    ['not-started', { startsAt: later }, {}],
    ['unknown-status', { status: 'unknown' }, {}],
    ['other-type', { types: ['org.iso.18013.5.1.mDL'] }, { type: 'urn:eudi:pid:1' }],
    ['other-type', { types: ['org.iso.18013.5.1.mDL'] }, {}],
    ['other-type', {}, { type: 'urn:eudi:pid:1' }, { types: ['other'] }],
    ['list-out-of-date', {}, {}, { until: NOW }],
  ]

  it.each(cases)('%s: %j', (reason, more, asked, limits = {}) => {
    const answer = missed(match([leaf], [source([entity('Ministry', [service([root], more)])], limits)], asked))
    expect(answer).toMatchObject({
      reason,
      looked: [{ fault: reason, owner: { entity: { names: { en: 'Ministry' } } } }],
    })
    expect(answer.sentence).toMatch(/^The .*\.$/)
  })

  it('is of another entity than the one that issued the credential', () => {
    const statusRoot = authority('C=EU/Status')
    const statusLeaf = leafOf(statusRoot)
    const anchors = compileAnchors([
      source([
        entity('Ministry', [service([root])]),
        entity('Other', [service([statusRoot], { type: REVOCATION, uses: ['status'] })]),
      ]),
    ])
    const { owner } = found(matchChain([leaf.x5c], anchors, query())).found
    const answer = missed(matchChain([statusLeaf.x5c], anchors, query({ use: 'status', entity: owner })))
    expect(answer.reason).toBe('other-entity')
    // Without the entity it is trusted, and this answer must not be reused.
    expect(matchChain([statusLeaf.x5c], anchors, query({ use: 'status' })).trusted).toBe(true)
    expect(matchChain([statusLeaf.x5c], anchors, query({ use: 'status', entity: owner })).trusted).toBe(false)
  })

  it('is not saved by an authority if the signer itself is withdrawn', () => {
    const ministry = entity('A', [
      service([root]),
      service([leaf], { status: 'withdrawn', endsAt: new Date('2026-05-05T00:00:00Z') }),
    ])
    expect(missed(match([leaf], [source([ministry])])).sentence).toBe(
      'The service of A on the list pid is withdrawn since 2026-05-05T00:00:00.000Z.',
    )
  })

  it('ends at a withdrawn authority, even if the root above is listed', () => {
    const middle = authority('C=EU/Middle', { issuer: root })
    const ministry = entity('A', [service([root]), service([middle], { status: 'withdrawn', endsAt: NOW })])
    expect(missed(match([leafOf(middle), middle], [source([ministry])])).reason).toBe('withdrawn')
  })

  it('does not end at an authority that is listed for something else', () => {
    const middle = authority('C=EU/Middle', { issuer: root })
    const ministry = entity('A', [service([root]), service([middle], { uses: ['status'] })])
    expect(match([leafOf(middle), middle], [source([ministry])])).toMatchObject({ trusted: true })
  })

  it.each([
    ['expired', leafOf(root, { notAfter: '2026-01-01T00:00:00Z' }), 'expired'],
    ['for another purpose', leafOf(root, { purposes: ['1.3.6.1.5.5.7.3.1'] }), 'another purpose'],
    ['an authority', authority('C=EU/Sub', { issuer: root }), 'certification authority'],
    ['signed with SHA-1', leafOf(root, { signature: 'sha1' }), 'not allowed'],
  ])('has a signer that is %s', (_name, signer, sentence) => {
    const answer = missed(match([signer], [source([entity('A', [service([root])])])]))
    expect(answer).toMatchObject({ reason: 'chain', sentence: expect.stringContaining(sentence) })
  })

  it('has a listed signer that has expired, or that is an authority', () => {
    const old = makeCertificate({ subject: 'Old', keyUsage: SIGN, notAfter: '2026-01-01T00:00:00Z' })
    expect(missed(match([old], [source([entity('A', [service([old])])])])).reason).toBe('chain')
    expect(match([root], [source([entity('A', [service([root])])])]).trusted).toBe(false)
  })

  it('is no chain at all', () => {
    const anchors = compileAnchors([source([entity('A', [service([root])])])])
    for (const x5c of [undefined, [], ['!'], 'text', new Array(9).fill(leaf.x5c)]) {
      expect(missed(matchChain(x5c, anchors, query())).reason).toBe('chain')
    }
  })

  it('does not fill the memory with certificates behind the anchor', () => {
    const anchors = compileAnchors([source([entity('A', [service([root])])])])
    for (let at = 0; at < 3; at += 1) {
      const behind = authority(`C=EU/Behind ${at}`)
      expect(matchChain([leaf.x5c, root.x5c, behind.x5c], anchors, query()).trusted).toBe(true)
    }
    expect(anchors.known.size).toBe(0)
    expect(matchChain([leaf.x5c, root.x5c], anchors, query()).trusted).toBe(true)
    expect(anchors.known.size).toBe(1)
  })

  it('has an authority or a signer whose key is of an unknown kind', () => {
    const strange = strangeKey({ subject: 'C=EU/Strange', ca: true, keyUsage: 4 })
    const listed = [source([entity('A', [service([strange])])])]
    expect(match([leafOf(strange)], listed).trusted).toBe(false)
    expect(match([leafOf(strange), strange], listed).trusted).toBe(false)
    const signer = strangeKey({ subject: 'C=EU/Signer', issuer: root, keyUsage: SIGN })
    expect(missed(match([signer], [source([entity('A', [service([root])])])])).reason).toBe('chain')
    expect(match([signer], [source([entity('A', [service([signer])])])]).trusted).toBe(false)
  })

  it('has only its bare key on a list, which says neither who signs nor until when', () => {
    const keys = [leaf.certificate.publicKey.export({ format: 'jwk' })]
    const bare = entity('A', [service([], { keys })])
    expect(missed(match([leaf], [source([bare])])).reason).toBe('no-anchor')
    // The bare key does not hide the authority of another list.
    expect(found(match([leaf], [source([bare]), source([entity('B', [service([root])])])])).by).toBe('chain')
    const withdrawn = entity('A', [service([], { keys, endsAt: new Date(0) })])
    expect(missed(match([leaf], [source([withdrawn]), source([entity('B', [service([root])])])])).reason).toBe(
      'withdrawn',
    )
  })

  it('leaves a certificate out that cannot be read', () => {
    const broken = {
      ...service([root]),
      certificates: [Buffer.from('3000', 'hex'), root.certificate.raw.subarray(0, 40)],
    }
    const anchors = compileAnchors([source([entity('A', [broken])])])
    expect([anchors.byFingerprint.size, anchors.byKey.size]).toEqual([0, 0])
    expect(matchChain([leaf.x5c], anchors, query()).trusted).toBe(false)
  })
})
