import { describe, expect, it } from 'vitest'
import { IssuerKeyError } from '../../../server/protocol/issuer-keys/resolve-issuer-key.js'
import { trustedChain } from '../../../server/protocol/issuer-keys/trusted-chain.js'
import { makeCertificate } from './certificates.js'

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const long = { notBefore: '2020-01-01T00:00:00Z', notAfter: '2099-12-31T00:00:00Z' }
const root = makeCertificate({ subject: 'Root', ca: true, keyUsage: 0x04, ...long })
const leaf = makeCertificate({
  subject: 'Club',
  issuer: root,
  keyUsage: 0x80,
  notBefore: '2026-01-01T00:00:00Z',
  notAfter: '2027-01-01T00:00:00Z',
})
const trustAnchors = [root.certificate]
const at = (time: string, members: object = {}) =>
  ({ trustAnchors, now: new Date(time), purpose: 'credential', ...members }) as const
const GOOD = '2026-06-01T00:00:00Z'

describe('a chain that was verified before', () => {
  it('is parsed and verified once', () => {
    const first = trustedChain([leaf.x5c], at(GOOD))
    expect(trustedChain([leaf.x5c], at('2026-07-01T00:00:00Z')).leaf).toBe(first.leaf)
    expect(first.jwk).toEqual(leaf.certificate.publicKey.export({ format: 'jwk' }))
    expect(first.path.map(({ subject }) => subject)).toEqual(['CN=Club', 'CN=Root'])
  })

  it('is not cached with unread certificates that a stranger adds after the root', () => {
    const junk = makeCertificate({ subject: 'Junk', ...long })
    for (const behind of [[junk.x5c], [root.x5c, junk.x5c]]) {
      const first = trustedChain([leaf.x5c, ...behind], at(GOOD))
      expect(trustedChain([leaf.x5c, ...behind], at(GOOD)).leaf).not.toBe(first.leaf)
    }
    const whole = trustedChain([leaf.x5c, root.x5c], at(GOOD))
    expect(trustedChain([leaf.x5c, root.x5c], at(GOOD)).leaf).toBe(whole.leaf)
  })

  it('is removed from the cache when later chains fill a mebibyte, so that long chains cannot fill the memory', () => {
    const own = makeCertificate({ subject: 'Root', ca: true, keyUsage: 0x04, ...long })
    const io = at(GOOD, { trustAnchors: [own.certificate] })
    const chainOf = (n: number) =>
      makeCertificate({ subject: `Club ${n} ${'x'.repeat(15_000)}`, issuer: own, keyUsage: 0x80, ...long }).x5c
    const chains = Array.from({ length: 60 }, (_, n) => chainOf(n))
    expect(chains.join('').length).toBeGreaterThan(1_048_576)
    const verified = chains.map((x5c) => trustedChain([x5c], io).leaf)
    expect(trustedChain([chains.at(-1)], io).leaf).toBe(verified.at(-1))
    expect(trustedChain([chains[0]], io).leaf).not.toBe(verified[0])
  })

  it('is still refused before and after the validity of its certificates', () => {
    trustedChain([leaf.x5c], at(GOOD))
    for (const time of ['2025-12-31T23:00:00Z', '2027-01-01T01:00:00Z']) {
      expect(() => trustedChain([leaf.x5c], at(time))).toThrow('has expired or is not yet valid')
    }
    expect(trustedChain([leaf.x5c], at(GOOD)).jwk).toBeDefined()
  })

  it('is refused under roots that it does not lead to', () => {
    trustedChain([leaf.x5c], at(GOOD))
    const other = makeCertificate({ subject: 'Root', ca: true, keyUsage: 0x04, ...long })
    for (const anchors of [[], [other.certificate]]) {
      expect(() => trustedChain([leaf.x5c], at(GOOD, { trustAnchors: anchors }))).toThrow('lead to a trust anchor')
    }
  })

  it('with its root is refused if the root must be omitted', () => {
    trustedChain([leaf.x5c, root.x5c], at(GOOD))
    expect(() => trustedChain([leaf.x5c, root.x5c], at(GOOD, { withoutRoots: true }))).toThrow('must be left out')
  })

  it('is refused for another purpose', () => {
    const web = makeCertificate({ subject: 'Shop', issuer: root, keyUsage: 0x80, purposes: [SERVER_AUTH], ...long })
    trustedChain([web.x5c], at(GOOD, { purpose: 'request' }))
    expect(() => trustedChain([web.x5c], at(GOOD))).toThrow('is meant for another purpose')
  })

  it('does not apply to a chain that differs in an entry or is not an array of texts', () => {
    trustedChain([leaf.x5c], at(GOOD))
    for (const x5c of [[[leaf.x5c]], leaf.x5c, { 0: leaf.x5c }, [leaf.x5c, 'AAAA'], [`${leaf.x5c}AAAA`], undefined]) {
      expect(() => trustedChain(x5c, at(GOOD))).toThrow(IssuerKeyError)
    }
  })
})

describe('a chain that only a trusted list vouches for', () => {
  it('is compared with the anchors once in a minute, and not for each credential', () => {
    const other = makeCertificate({ subject: 'Root', ca: true, keyUsage: 0x04, ...long })
    let reads = 0
    const anchors = new Proxy([other.certificate], {
      get(target, name, receiver) {
        if (name === '0') reads += 1
        return Reflect.get(target, name, receiver)
      },
    })
    const chain = trustedChain([leaf.x5c], at(GOOD))
    const listed = { list: 'https://lists.example', statusSigner: () => chain.jwk }
    const lists = { exists: () => true, reads: () => false, keyOn: () => undefined, find: () => ({ ...chain, listed }) }
    const look = (time: string): number => {
      const before = reads
      expect(trustedChain([leaf.x5c], at(time, { trustAnchors: anchors, lists })).listed).toBe(listed)
      return reads - before
    }
    expect(look('2026-06-01T00:00:00Z')).toBeGreaterThan(0)
    expect(look('2026-06-01T00:00:30Z')).toBe(0)
    expect(look('2026-06-01T00:01:00Z')).toBeGreaterThan(0)
    expect(look('2026-06-01T00:01:30Z')).toBe(0)
    expect(look('2026-05-31T00:00:00Z')).toBeGreaterThan(0)
  })

  it('attack: is refused after the list has removed it, although it was accepted before', () => {
    const other = makeCertificate({ subject: 'Root', ca: true, keyUsage: 0x04, ...long })
    const chain = trustedChain([leaf.x5c], at(GOOD))
    const listed = { list: 'https://lists.example', statusSigner: () => chain.jwk }
    let isListed = true
    const find = () => {
      if (!isListed) throw new IssuerKeyError('Issuer is not on the list.')
      return { ...chain, listed }
    }
    const lists = { exists: () => true, reads: () => false, keyOn: () => undefined, find }
    const io = at(GOOD, { trustAnchors: [other.certificate], lists })
    expect(trustedChain([leaf.x5c], io).listed).toBe(listed)
    isListed = false
    expect(() => trustedChain([leaf.x5c], io)).toThrow('Issuer is not on the list.')
  })
})
