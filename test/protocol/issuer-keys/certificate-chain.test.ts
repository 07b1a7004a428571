import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { readX5c, verifyCertificateChain } from '../../../server/protocol/issuer-keys/certificate-chain.js'
import type { CertificatePurpose } from '../../../server/protocol/issuer-keys/certificate-purpose.js'
import { isAllowedSignature } from '../../../server/protocol/issuer-keys/certificate-signature.js'
import { derElements } from '../../../server/protocol/issuer-keys/der.js'
import { IssuerKeyError } from '../../../server/protocol/issuer-keys/resolve-issuer-key.js'
import {
  algorithmIdentifier,
  makeCertificate,
  pssParameters,
  type TestCertificate,
  type TestCertificateOptions,
} from './certificates.js'

const SIGN = 0x80
const CERTIFY = 0x04
const now = new Date('2026-06-01T00:00:00Z')

const root = makeCertificate({ subject: 'Root', ca: true, keyUsage: CERTIFY })
const authority = (subject: string, issuer: TestCertificate, options: Partial<TestCertificateOptions> = {}) =>
  makeCertificate({ subject, issuer, ca: true, keyUsage: CERTIFY, ...options })
const signer = (issuer: TestCertificate, options: Partial<TestCertificateOptions> = {}) =>
  makeCertificate({ subject: 'Signer', issuer, keyUsage: SIGN, ...options })

const verify = (
  chain: readonly TestCertificate[],
  anchors: readonly TestCertificate[] = [root],
  at = now,
  purpose: CertificatePurpose = 'credential',
  withoutRoots = false,
) =>
  verifyCertificateChain(readX5c(chain.map(({ x5c }) => x5c)), {
    trustAnchors: anchors.map(({ certificate }) => certificate),
    now: at,
    purpose,
    withoutRoots,
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

  it('may have intermediate authorities, in the order of RFC 7515 §4.1.6', () => {
    const upper = authority('Upper', root)
    const lower = authority('Lower', upper)
    const leaf = signer(lower)
    expect(verify([leaf, lower, upper]).jwk).toEqual(leaf.certificate.publicKey.export({ format: 'jwk' }))
    expect(() => verify([leaf, upper, lower])).toThrow('The certificates do not form a chain.')
    expect(() => verify([leaf, upper])).toThrow('The certificates do not form a chain.')
    expect(() => verify([leaf])).toThrow('The certificate chain does not lead to a trust anchor.')
  })

  it('may end with the anchor itself, or at an intermediate authority that is an anchor', () => {
    const lower = authority('Lower', root)
    expect(() => verify([signer(root), root])).not.toThrow()
    expect(() => verify([signer(lower), lower, root], [lower])).not.toThrow()
    expect(() => verify([signer(lower)], [lower])).not.toThrow()
  })

  it('must not contain the anchor or any root if the profile demands it (HAIP 1.0 §6.1.1)', () => {
    const strict = (chain: readonly TestCertificate[], anchors = [root]) =>
      verify(chain, anchors, now, 'credential', true)
    const lower = authority('Lower', root)
    const leaf = signer(lower)
    expect(strict([leaf, lower]).path).toHaveLength(3)
    expect(strict([signer(root)]).path).toHaveLength(2)
    const held = 'The certificate chain holds a trust anchor, which must be left out.'
    const stranger = makeCertificate({ subject: 'Stranger', ca: true, keyUsage: CERTIFY })
    for (const chain of [
      [leaf, lower, root],
      [signer(root), root],
      [leaf, lower, stranger],
    ]) {
      expect(() => strict(chain)).toThrow(held)
      expect(() => verify(chain)).not.toThrow()
    }
    // An authority below the root is a trust anchor if it is configured as a trust anchor.
    expect(() => strict([leaf, lower], [lower])).toThrow(held)
    expect(() => strict([leaf], [lower])).not.toThrow()
    // A new certificate with the name and the key of the anchor counts as the root too.
    const { privateKey } = root
    const renewed = makeCertificate({
      subject: 'Root',
      ca: true,
      keyUsage: CERTIFY,
      keyPair: { privateKey, publicKey: root.certificate.publicKey },
    })
    expect(() => strict([leaf, lower, renewed])).toThrow(held)
  })

  it('is refused without trust anchors, and with a root that only looks like one', () => {
    const impostor = makeCertificate({ subject: 'Root', ca: true, keyUsage: CERTIFY })
    const untrusted = 'The certificate chain does not lead to a trust anchor.'
    expect(() => verify([signer(root)], [])).toThrow(untrusted)
    expect(() => verify([signer(impostor)])).toThrow(untrusted)
    expect(() => verify([signer(impostor), impostor])).toThrow(untrusted)
  })

  it('attack: only certified keys are used, because a check with an RSA key may take a tenth of a second', () => {
    const impostor = makeCertificate({ subject: 'Root', ca: true, keyUsage: CERTIFY })
    const genuine = makeCertificate({ subject: 'Signer', issuer: root })
    const thief = makeCertificate({ subject: 'Signer' })
    const strangers = (top: TestCertificate) => {
      const upper = authority('Upper', top)
      const lower = authority('Lower', upper)
      return [signer(lower), lower, upper]
    }
    const alone = makeCertificate({ subject: 'Alone', ca: true, keyUsage: CERTIFY })
    const verified = vi.spyOn(X509Certificate.prototype, 'verify')
    try {
      for (const chain of [strangers(alone), strangers(impostor), [...strangers(thief), genuine], [genuine, alone]]) {
        expect(() => verify(chain, [root], now, 'credential', true)).toThrow(IssuerKeyError)
      }
      const used = verified.mock.calls.map(([key]) => key)
      expect(used.length).toBeGreaterThan(0)
      for (const key of used) expect(key.equals(root.certificate.publicKey)).toBe(true)
    } finally {
      verified.mockRestore()
    }
  })

  it('is refused if its names do not match, even if one key signed all certificates (RFC 5280 §6.1.3)', () => {
    const keyPair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const one = makeCertificate({ subject: 'One', ca: true, keyUsage: CERTIFY, keyPair })
    const other = makeCertificate({ subject: 'Other', ca: true, keyUsage: CERTIFY, keyPair })
    expect(() => verify([signer(one)], [one])).not.toThrow()
    expect(() => verify([signer(one)], [other])).toThrow('The certificate chain does not lead to a trust anchor.')
  })

  it('is refused if the certificate of its signer is self-signed (HAIP 1.0 §6.1.1)', () => {
    const selfSigned = makeCertificate({ subject: 'Signer', keyUsage: SIGN })
    expect(() => verify([selfSigned])).toThrow(IssuerKeyError)
    expect(() => verify([selfSigned], [selfSigned])).toThrow('The certificate chain does not lead to a trust anchor.')
    expect(() => verify([root])).toThrow('The certificate chain does not lead to a trust anchor.')
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

  it('is refused if an authority may not certify, or if the signer may not sign (RFC 5280 §4.2.1.3)', () => {
    const crlOnly = authority('CRL', root, { keyUsage: 0x02 })
    expect(() => verify([signer(crlOnly), crlOnly])).toThrow('The certificates do not form a chain.')
    expect(() => verify([signer(crlOnly)], [crlOnly])).toThrow('does not lead to a trust anchor.')
    expect(() => verify([signer(root, { keyUsage: 0x08 })])).toThrow(
      'The certificate of the signer is not meant for signatures.',
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
      'A certificate of the chain has expired or is not yet valid.',
    )
  })

  it('is valid at both ends of the validity, and the anchor too', () => {
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
    ['an unknown critical extension', { id: '2a0304', critical: true, value: '0500' }],
    ['name constraints', { id: '551d1e', critical: true, value: '3000' }],
    ['name constraints, even when not critical', { id: '551d1e', critical: false, value: '3000' }],
  ])('is refused with an unsupported critical extension: %s (RFC 5280 §6.1.4)', (_, extension) => {
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

  it('is refused if the key of the signer has an unsupported type', () => {
    const keyPair = generateKeyPairSync('ec', { namedCurve: 'P-521' })
    expect(() => verify([signer(root, { keyPair })])).toThrow('is of no supported type.')
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 })
    expect(() => verify([signer(root, { keyPair: small })])).toThrow('is of no supported type.')
  })
})

describe('extendedKeyUsage (RFC 5280 §4.2.1.12)', () => {
  const REFUSED = 'A certificate of the chain is meant for another purpose.'
  const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
  const DOCUMENT_SIGNING = '1.3.6.1.5.5.7.3.36'
  const OTHERS: readonly (readonly [string, string])[] = [
    ['clientAuth', '1.3.6.1.5.5.7.3.2'],
    ['serverAuth', SERVER_AUTH],
    ['server gated cryptography', '2.16.840.1.113730.4.1'],
    ['server gated cryptography of Microsoft', '1.3.6.1.4.1.311.10.3.3'],
    ['mdoc reader', '1.0.18013.5.1.6'],
  ]
  const NEVER: readonly (readonly [string, string])[] = [
    ['codeSigning', '1.3.6.1.5.5.7.3.3'],
    ['emailProtection', '1.3.6.1.5.5.7.3.4'],
    ['timeStamping', '1.3.6.1.5.5.7.3.8'],
    ['OCSPSigning', '1.3.6.1.5.5.7.3.9'],
    ['ipsecIKE', '1.3.6.1.5.5.7.3.17'],
    ['access tokens', '1.3.6.1.5.5.7.3.39'],
    ['smart card logon', '1.3.6.1.4.1.311.20.2.2'],
    ['Kerberos', '1.3.6.1.5.2.3.5'],
  ]

  it.each([...OTHERS, ...NEVER])('a signer that is only for %s cannot sign credentials', (_, purpose) => {
    expect(() => verify([signer(root, { purposes: [purpose] })])).toThrow(REFUSED)
  })

  it.each([...OTHERS, ...NEVER])(
    'an authority that is only for %s cannot certify signers of credentials',
    (_, purpose) => {
      const lower = authority('Lower', root, { purposes: [purpose] })
      expect(() => verify([signer(lower, { purposes: [DOCUMENT_SIGNING] }), lower])).toThrow(REFUSED)
      expect(() => verify([signer(lower)], [lower])).toThrow(REFUSED)
    },
  )

  it.each([
    ['mdoc documents', ['1.0.18013.5.1.2']],
    ['documents', [DOCUMENT_SIGNING]],
    ['documents of Microsoft', ['1.3.6.1.4.1.311.10.3.12']],
    ['documents of Adobe', ['1.2.840.113583.1.1.5']],
    ['JWTs', ['1.3.6.1.5.5.7.3.37']],
    ['every purpose', ['2.5.29.37.0']],
    ['documents beside TLS', [SERVER_AUTH, DOCUMENT_SIGNING]],
    ['a purpose of its ecosystem', ['1.3.6.1.4.1.99999.1.2']],
  ])('a signer for %s can sign credentials below an authority for the same purpose', (_, purposes) => {
    const lower = authority('Lower', root, { purposes })
    expect(() => verify([signer(lower, { purposes }), lower])).not.toThrow()
  })

  it.each(OTHERS)('a verifier for %s can sign requests', (_, purpose) => {
    expect(() => verify([signer(root, { purposes: [purpose] })], [root], now, 'request')).not.toThrow()
  })

  it.each(NEVER)('a verifier for %s cannot sign requests', (_, purpose) => {
    expect(() => verify([signer(root, { purposes: [purpose] })], [root], now, 'request')).toThrow(REFUSED)
  })

  it('that is empty, or present twice, allows nothing', () => {
    expect(() => verify([signer(root, { purposes: [] })])).toThrow(REFUSED)
    const twice = { id: '551d25', critical: false, value: '300606042a030405' }
    expect(() => verify([signer(root, { extensions: [twice, twice] })])).toThrow(IssuerKeyError)
  })
})

describe('a certificate signed with RSASSA-PSS (RFC 4055 §3.1)', () => {
  const SHA1 = algorithmIdentifier('1.3.14.3.2.26', '0500')
  const SHA256 = algorithmIdentifier('2.16.840.1.101.3.4.2.1', '0500')
  const mgf1 = (hash: string) => algorithmIdentifier('1.2.840.113549.1.1.8', hash)
  /** The length of the salt. It is the length of the hash, as in keys that Node makes. */
  const saltOf = (name: string) => (name === 'sha1' ? '020114' : '020120')
  const hashOf = (name: string) => (name === 'sha1' ? SHA1 : SHA256)
  const NOT_ALLOWED = 'signed with an algorithm that is not allowed.'

  const keyPairs = new Map<string, ReturnType<typeof generateKeyPairSync>>()
  function keyPairFor(hash: string, mask: string) {
    const known = keyPairs.get(`${hash} ${mask}`)
    const options = { modulusLength: 2048, hashAlgorithm: hash, mgf1HashAlgorithm: mask }
    const keyPair = known ?? generateKeyPairSync('rsa-pss', options)
    keyPairs.set(`${hash} ${mask}`, keyPair)
    return keyPair
  }

  /** Makes a root whose key may only be used with this hash and mask, and a signer below this root. */
  function chain(hash: 'sha1' | 'sha256', mask: 'sha1' | 'sha256', parameters?: string) {
    const keyPair = keyPairFor(hash, mask)
    const signature = {
      pss:
        parameters ??
        pssParameters([
          [0, hashOf(hash)],
          [1, mgf1(hashOf(mask))],
          [2, saltOf(hash)],
        ]),
    }
    const anchor = makeCertificate({ subject: 'PSS', ca: true, keyUsage: CERTIFY, keyPair, signature })
    return { anchor, leaf: signer(anchor, { signature }) }
  }

  it('with SHA-256 as hash and in the mask is accepted', () => {
    const { anchor, leaf } = chain('sha256', 'sha256')
    expect(() => verify([leaf], [anchor])).not.toThrow()
  })

  it.each([
    ['sha1', 'sha256'],
    ['sha256', 'sha1'],
    ['sha1', 'sha1'],
  ] as const)('with %s as hash and %s in the mask is refused, even if the signature is valid', (hash, mask) => {
    const { anchor, leaf } = chain(hash, mask)
    expect(leaf.certificate.verify(anchor.certificate.publicKey)).toBe(true)
    expect(() => verify([leaf], [anchor])).toThrow(NOT_ALLOWED)
  })

  it('with an omitted hash or mask, which means SHA-1, is refused', () => {
    const withoutHash = chain(
      'sha1',
      'sha256',
      pssParameters([
        [1, mgf1(SHA256)],
        [2, saltOf('sha1')],
      ]),
    )
    expect(withoutHash.leaf.certificate.verify(withoutHash.anchor.certificate.publicKey)).toBe(true)
    expect(() => verify([withoutHash.leaf], [withoutHash.anchor])).toThrow(NOT_ALLOWED)
    const withoutMask = chain(
      'sha256',
      'sha1',
      pssParameters([
        [0, SHA256],
        [2, saltOf('sha256')],
      ]),
    )
    expect(withoutMask.leaf.certificate.verify(withoutMask.anchor.certificate.publicKey)).toBe(true)
    expect(() => verify([withoutMask.leaf], [withoutMask.anchor])).toThrow(NOT_ALLOWED)
  })
})

describe('a signature algorithm', () => {
  const SHA1 = algorithmIdentifier('1.3.14.3.2.26')
  const SHA256 = algorithmIdentifier('2.16.840.1.101.3.4.2.1')
  const mgf1 = (hash: string) => algorithmIdentifier('1.2.840.113549.1.1.8', hash)
  const pss = (parameters: string) => {
    const [element] = derElements(Buffer.from(algorithmIdentifier('1.2.840.113549.1.1.10', parameters), 'hex'))
    return isAllowedSignature(element)
  }

  it('of RSASSA-PSS is accepted only in its DER form', () => {
    expect(
      pss(
        pssParameters([
          [0, SHA256],
          [1, mgf1(SHA256)],
        ]),
      ),
    ).toBe(true)
    expect(
      pss(
        pssParameters([
          [0, SHA256],
          [1, mgf1(SHA256)],
          [2, '020120'],
          [3, '020101'],
        ]),
      ),
    ).toBe(true)
  })

  it.each([
    ['no parameters', ''],
    ['NULL', '0500'],
    ['empty parameters', '3000'],
    [
      'SHA-2 in a salt length',
      pssParameters([
        [0, SHA1],
        [1, mgf1(SHA1)],
        [2, SHA256],
      ]),
    ],
    [
      'SHA-2 behind SHA-1',
      pssParameters([
        [0, SHA1 + SHA256],
        [1, mgf1(SHA256)],
      ]),
    ],
    [
      'SHA-2 as the parameters of SHA-1',
      pssParameters([
        [0, algorithmIdentifier('1.3.14.3.2.26', SHA256)],
        [1, mgf1(SHA256)],
      ]),
    ],
    [
      'a second hash',
      pssParameters([
        [0, SHA1],
        [0, SHA256],
        [1, mgf1(SHA256)],
      ]),
    ],
    [
      'fields in another order',
      pssParameters([
        [1, mgf1(SHA256)],
        [0, SHA256],
      ]),
    ],
    [
      'a field that nobody knows',
      pssParameters([
        [0, SHA256],
        [1, mgf1(SHA256)],
        [4, '020101'],
      ]),
    ],
    [
      'another trailer',
      pssParameters([
        [0, SHA256],
        [1, mgf1(SHA256)],
        [3, '020102'],
      ]),
    ],
    [
      'another mask generation',
      pssParameters([
        [0, SHA256],
        [1, algorithmIdentifier('1.2.3', SHA256)],
      ]),
    ],
  ])('of RSASSA-PSS is refused with %s', (_, parameters) => {
    expect(pss(parameters)).toBe(false)
  })
})

describe('x5c (RFC 7515 §4.1.6)', () => {
  it.each([
    ['no array', 'AAAA'],
    ['an empty array', []],
    ['too many certificates', new Array(9).fill(root.x5c)],
    ['a number', [5]],
    ['base64url', [root.x5c.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')]],
    ['PEM', [root.certificate.toString()]],
    ['base64 of something else', ['AAAA']],
    [
      'a certificate with further octets after it',
      [Buffer.concat([root.certificate.raw, Buffer.of(0)]).toString('base64')],
    ],
    ['a line break', [`${root.x5c.slice(0, 64)}\n${root.x5c.slice(64)}`]],
  ])('is refused as %s', (_, x5c) => {
    expect(() => readX5c(x5c)).toThrow(IssuerKeyError)
  })
})
