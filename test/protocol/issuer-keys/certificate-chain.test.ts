import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readX5c, verifyCertificateChain } from '../../../server/protocol/issuer-keys/certificate-chain.js'
import { IssuerKeyError } from '../../../server/protocol/issuer-keys/resolve-issuer-key.js'
import { makeCertificate, type TestCertificate, type TestCertificateOptions } from './certificates.js'

const SIGN = 0x80
const CERTIFY = 0x04
const now = new Date('2026-06-01T00:00:00Z')

const root = makeCertificate({ subject: 'Root', ca: true, keyUsage: CERTIFY })
const authority = (subject: string, issuer: TestCertificate, options: Partial<TestCertificateOptions> = {}) =>
  makeCertificate({ subject, issuer, ca: true, keyUsage: CERTIFY, ...options })
const signer = (issuer: TestCertificate, options: Partial<TestCertificateOptions> = {}) =>
  makeCertificate({ subject: 'Signer', issuer, keyUsage: SIGN, ...options })

const verify = (chain: readonly TestCertificate[], anchors: readonly TestCertificate[] = [root], at = now) =>
  verifyCertificateChain(readX5c(chain.map(({ x5c }) => x5c)), {
    trustAnchors: anchors.map(({ certificate }) => certificate),
    now: at,
  })

describe('a certificate chain (RFC 5280 §6.1)', () => {
  it('leads from the signer to a trust anchor', () => {
    const leaf = signer(root)
    expect(verify([leaf])).toEqual({
      leaf: expect.anything(),
      path: [expect.anything(), expect.anything()],
      jwk: leaf.certificate.publicKey.export({ format: 'jwk' }),
    })
  })

  it('may have authorities between, in the order of RFC 7515 §4.1.6', () => {
    const upper = authority('Upper', root)
    const lower = authority('Lower', upper)
    const leaf = signer(lower)
    expect(verify([leaf, lower, upper]).jwk).toEqual(leaf.certificate.publicKey.export({ format: 'jwk' }))
    expect(() => verify([leaf, upper, lower])).toThrow('The x5c certificates do not form a chain.')
    expect(() => verify([leaf, upper])).toThrow('The x5c certificates do not form a chain.')
    expect(() => verify([leaf])).toThrow('The x5c certificate chain does not lead to a trust anchor.')
  })

  it('may end with the anchor itself, or stop at an authority that is one', () => {
    const lower = authority('Lower', root)
    expect(() => verify([signer(root), root])).not.toThrow()
    expect(() => verify([signer(lower), lower, root], [lower])).not.toThrow()
    expect(() => verify([signer(lower)], [lower])).not.toThrow()
  })

  it('is refused without trust anchors, and with a root that only looks like one', () => {
    const impostor = makeCertificate({ subject: 'Root', ca: true, keyUsage: CERTIFY })
    const untrusted = 'The x5c certificate chain does not lead to a trust anchor.'
    expect(() => verify([signer(root)], [])).toThrow(untrusted)
    expect(() => verify([signer(impostor)])).toThrow(untrusted)
    expect(() => verify([signer(impostor), impostor])).toThrow(untrusted)
  })

  it('is refused when its names do not fit, although one key signed everything (RFC 5280 §6.1.3)', () => {
    const keyPair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const one = makeCertificate({ subject: 'One', ca: true, keyUsage: CERTIFY, keyPair })
    const other = makeCertificate({ subject: 'Other', ca: true, keyUsage: CERTIFY, keyPair })
    expect(() => verify([signer(one)], [one])).not.toThrow()
    expect(() => verify([signer(one)], [other])).toThrow('The x5c certificate chain does not lead to a trust anchor.')
  })

  it('is refused when its signer vouches for itself (HAIP 1.0 §6.1.1)', () => {
    const selfSigned = makeCertificate({ subject: 'Signer', keyUsage: SIGN })
    expect(() => verify([selfSigned])).toThrow(IssuerKeyError)
    expect(() => verify([selfSigned], [selfSigned])).toThrow(
      'The x5c certificate chain does not lead to a trust anchor.',
    )
    expect(() => verify([root])).toThrow('The x5c certificate chain does not lead to a trust anchor.')
  })

  it('is refused when its signer is an authority', () => {
    expect(() => verify([authority('Lower', root)])).toThrow('that of a certification authority.')
  })

  it('is refused when a signer acts as an authority', () => {
    const leaf = signer(root)
    expect(() => verify([signer(leaf), leaf])).toThrow(IssuerKeyError)
    const withoutUsage = makeCertificate({ subject: 'Leaf', issuer: root })
    expect(() => verify([signer(withoutUsage), withoutUsage])).toThrow('no certification authority.')
  })

  it('is refused when an authority must not certify, or the signer not sign (RFC 5280 §4.2.1.3)', () => {
    const crlOnly = authority('CRL', root, { keyUsage: 0x02 })
    expect(() => verify([signer(crlOnly), crlOnly])).toThrow('The x5c certificates do not form a chain.')
    expect(() => verify([signer(crlOnly)], [crlOnly])).toThrow('does not lead to a trust anchor.')
    expect(() => verify([signer(root, { keyUsage: 0x08 })])).toThrow(
      'The x5c signer certificate is not meant for signatures.',
    )
  })

  it.each([
    ['a signer that has expired', { notAfter: '2026-05-31T23:59:59Z' }, {}],
    ['a signer that is not yet valid', { notBefore: '2026-06-01T00:00:01Z' }, {}],
    ['an authority that has expired', {}, { notAfter: '2026-05-31T23:59:59Z' }],
    ['an authority that is not yet valid', {}, { notBefore: '2026-06-01T00:00:01Z' }],
  ])('is refused with %s', (_, ofSigner, ofAuthority) => {
    const lower = authority('Lower', root, ofAuthority)
    expect(() => verify([signer(lower, ofSigner), lower])).toThrow(
      'A certificate of the x5c chain has expired or is not yet valid.',
    )
  })

  it('counts both ends of the validity as valid, and the anchor too', () => {
    const lower = authority('Lower', root)
    const leaf = signer(lower, { notBefore: '2026-02-01T00:00:00Z', notAfter: '2026-03-01T00:00:00Z' })
    expect(() => verify([leaf, lower], [root], new Date('2026-02-01T00:00:00Z'))).not.toThrow()
    expect(() => verify([leaf, lower], [root], new Date('2026-03-01T00:00:00Z'))).not.toThrow()
    const expired = makeCertificate({ subject: 'Old', ca: true, keyUsage: CERTIFY, notAfter: '2026-01-01T00:00:00Z' })
    expect(() => verify([signer(expired)], [expired])).toThrow('has expired or is not yet valid.')
  })

  it('is refused when it is longer than an authority allows (RFC 5280 §4.2.1.9)', () => {
    const narrow = makeCertificate({ subject: 'Narrow', ca: true, keyUsage: CERTIFY, pathLength: 0 })
    expect(() => verify([signer(narrow)], [narrow])).not.toThrow()
    const lower = authority('Lower', narrow)
    expect(() => verify([signer(lower), lower], [narrow])).toThrow('is longer than its certification authority allows.')
    const wide = makeCertificate({ subject: 'Wide', ca: true, keyUsage: CERTIFY, pathLength: 1 })
    const below = authority('Below', wide)
    expect(() => verify([signer(below), below], [wide])).not.toThrow()
  })

  it.each([
    ['a critical one that nobody knows', { id: '2a0304', critical: true, value: '0500' }],
    ['name constraints', { id: '551d1e', critical: true, value: '3000' }],
    ['name constraints, even when not critical', { id: '551d1e', critical: false, value: '3000' }],
  ])('is refused with an extension that cannot be honoured: %s (RFC 5280 §6.1.4)', (_, extension) => {
    const lower = authority('Lower', root, { extensions: [extension] })
    expect(() => verify([signer(lower), lower])).toThrow('has an extension that is not supported.')
  })

  it('may have extensions that are not critical', () => {
    expect(() =>
      verify([signer(root, { extensions: [{ id: '2a0304', critical: false, value: '0500' }] })]),
    ).not.toThrow()
  })

  it('is refused when it is signed with SHA-1', () => {
    expect(() => verify([signer(root, { signature: 'sha1' })])).toThrow('signed with an algorithm that is not allowed.')
  })

  it('is refused when the signer has a key of no supported type', () => {
    const keyPair = generateKeyPairSync('ec', { namedCurve: 'P-521' })
    expect(() => verify([signer(root, { keyPair })])).toThrow('is of no supported type.')
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 })
    expect(() => verify([signer(root, { keyPair: small })])).toThrow('is of no supported type.')
  })
})

describe('x5c (RFC 7515 §4.1.6)', () => {
  it.each([
    ['no array', 'AAAA'],
    ['an empty array', []],
    ['more certificates than any chain has', new Array(9).fill(root.x5c)],
    ['a number', [5]],
    ['base64url', [root.x5c.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')]],
    ['PEM', [root.certificate.toString()]],
    ['base64 of something else', ['AAAA']],
    ['a line break', [`${root.x5c.slice(0, 64)}\n${root.x5c.slice(64)}`]],
  ])('is refused as %s', (_, x5c) => {
    expect(() => readX5c(x5c)).toThrow(IssuerKeyError)
  })
})
