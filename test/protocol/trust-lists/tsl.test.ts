import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { ListCheck, ReadOptions } from '../../../server/protocol/trust-lists/read-list.js'
import { readTsl } from '../../../server/protocol/trust-lists/tsl/read-tsl.js'
import { makeCertificate } from '../issuer-keys/certificates.js'
import { EAA, GRANTED, issuer, providerXml, serviceXml, tslXml, WITHDRAWN } from './tsl-world.js'
import {
  authority,
  LIST_SIGNING,
  listOf,
  operator,
  options,
  refusalOf,
  SIGN,
  sha256Of,
  strangeKey,
  stranger,
} from './world.js'
import { signXml } from './xadesjs.js'

const read = async (xml: string, more: Partial<ReadOptions> = {}) =>
  readTsl(await signXml(xml, { uri: '' }), options(more))

describe('a trusted list in XML (TS 119 612), signed by xadesjs', () => {
  it('is read with its providers, services and certificates', async () => {
    const answer = await read(tslXml(), { territory: 'EU' })
    expect(answer).toMatchObject({ accepted: true, signature: 'valid', trust: 'certificate' })
    expect(answer.signer?.sha256).toBe(sha256Of(operator))
    expect(listOf(answer)).toEqual({
      kind: 'tsl',
      type: 'http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUgeneric',
      sequenceNumber: 42,
      issuedAt: new Date('2026-05-01T00:00:00Z'),
      nextUpdate: new Date('2026-08-01T00:00:00Z'),
      territory: 'EU',
      operator: { en: 'Operator & Sons', de: 'Betreiber' },
      entities: [
        {
          names: { en: 'Ministry' },
          services: [
            {
              type: EAA,
              uses: ['issuance', 'status'],
              names: { en: 'Attestations' },
              status: 'granted',
              statusUri: GRANTED,
              startsAt: new Date('2026-03-01T00:00:00Z'),
              certificates: [issuer.certificate.raw],
              keys: [],
            },
          ],
        },
      ],
    })
  })

  it.each([
    ['by its Id', { uri: '#list' }],
    ['with Canonical XML 1.0', { uri: '', transforms: ['enveloped', 'c14n'] }],
    ['without a named canonical form', { uri: '', transforms: ['enveloped'] }],
    ['with SHA-512', { uri: '', hash: 'SHA-512' }],
    ['with its certificate among others', { uri: '', x509: [stranger.x5c, operator.x5c] }],
  ] as const)('is signed %s', async (_name, how) => {
    expect(await readTsl(await signXml(tslXml(), how), options())).toMatchObject({ accepted: true })
  })

  it('may be signed by a list signer of a pinned authority', async () => {
    const root = authority('C=EU/List authority')
    const by = makeCertificate({ subject: 'Signer', issuer: root, keyUsage: SIGN, purposes: [LIST_SIGNING] })
    const bytes = await signXml(tslXml(), { uri: '', by, x509: [root.x5c, by.x5c] })
    const pinned = options({ signer: { pem: String(root.certificate) } })
    expect(await readTsl(bytes, pinned)).toMatchObject({ accepted: true, trust: 'authority' })
  })

  it('may name its signer by SHA-1 if the certificate is pinned, and not if only its authority is', async () => {
    const root = authority('C=EU/List authority')
    const by = makeCertificate({ subject: 'Signer', issuer: root, keyUsage: SIGN, purposes: [LIST_SIGNING] })
    const bytes = await signXml(tslXml(), { uri: '', by, x509: [root.x5c, by.x5c], namedBy: 'SHA-1' })
    const certificate = options({ signer: { sha256: sha256Of(by) } })
    expect(await readTsl(bytes, certificate)).toMatchObject({ accepted: true, trust: 'certificate' })
    expect(refusalOf(await readTsl(bytes, options({ signer: { pem: String(root.certificate) } })))).toMatchObject({
      check: 'algorithm',
      signature: 'valid',
      trust: 'authority',
      sentence:
        'The signed properties name the signer’s certificate by SHA-1, so this certificate itself must be pinned.',
    })
    const named = await signXml(tslXml(), { uri: '', named: stranger, namedBy: 'SHA-1' })
    expect(refusalOf(await readTsl(named, options())).check).toBe('signed-properties')
  })

  it('trusts no service of a foreign type, state or critical extension, and ends a withdrawn one', async () => {
    const extension = (critical: string, name: string) =>
      `<ServiceInformationExtensions><Extension Critical="${critical}"><${name}/></Extension></ServiceInformationExtensions>`
    const services = [
      serviceXml({ type: 'http://uri.etsi.org/TrstSvc/Svctype/CA/QC' }),
      serviceXml({ status: WITHDRAWN }),
      serviceXml({ status: 'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/undersupervision' }),
      serviceXml({ extensions: extension('true', 'Unknown') }),
      serviceXml({ extensions: extension('false', 'Unknown') }),
      serviceXml({ extensions: extension('true', 'Qualifications') }),
    ]
    const list = listOf(await read(tslXml(providerXml('A', services.join('')))))
    expect(list.entities[0]?.services).toMatchObject([
      { uses: [], status: 'granted' },
      { status: 'withdrawn', endsAt: new Date('2026-03-01T00:00:00Z') },
      { status: 'unknown' },
      { status: 'unknown' },
      { status: 'granted' },
      { status: 'granted' },
    ])
  })

  it('trusts the types of services that the operator of this service names', async () => {
    const type = 'http://uri.etsi.org/TrstSvc/Svctype/CA/QC'
    const xml = tslXml(providerXml('A', serviceXml({ type }) + serviceXml()))
    const list = listOf(await read(xml, { serviceTypes: [type] }))
    expect(list.entities[0]?.services.map(({ uses }) => uses)).toEqual([['issuance', 'status'], []])
  })
})

describe('the list of trusted lists of the European Commission', () => {
  const folder = new URL('real/', import.meta.url)
  const bytes = gunzipSync(readFileSync(new URL('eu-lotl-388.xml.gz', folder)))
  const pem = readFileSync(new URL('eu-lotl-signer.pem', folder), 'utf8')
  const now = new Date('2026-07-16T00:00:00Z')

  it('is verified', async () => {
    const answer = await readTsl(bytes, { signer: { pem }, now, territory: 'EU' })
    expect(answer).toMatchObject({ accepted: true, signature: 'valid', trust: 'certificate' })
    expect(listOf(answer)).toMatchObject({ sequenceNumber: 388, operator: { en: 'European Commission' }, entities: [] })
    expect(Object.keys(listOf(answer).operator)).toHaveLength(23)
  })

  it('is refused with one changed character, after its end, and for another pin', async () => {
    const changed = Buffer.from(bytes.toString('utf8').replace('>388<', '>389<'))
    expect(refusalOf(await readTsl(changed, { signer: { pem }, now }))).toMatchObject({
      check: 'signature',
      trust: 'certificate',
    })
    expect(refusalOf(await readTsl(bytes, { signer: { pem }, now: new Date('2026-12-01T00:00:00Z') })).check).toBe(
      'out-of-date',
    )
    expect(refusalOf(await readTsl(bytes, options({ now })))).toMatchObject({ check: 'signer', signature: 'valid' })
  })
})

describe('an attack on the signature of a list', () => {
  const evil = providerXml('Evil', serviceXml({ certificates: [authority('C=EU/Evil')] }))
  const good = (how: Parameters<typeof signXml>[1] = { uri: '' }) => signXml(tslXml(), how).then(String)
  const changed = async (change: (xml: string) => string, how?: Parameters<typeof signXml>[1]) => {
    const before = await good(how)
    const after = change(before)
    expect(after).not.toBe(before)
    return readTsl(Buffer.from(after), options())
  }
  const signatureIn = (xml: string) => /<ds:Signature[\s\S]*<\/ds:Signature>/.exec(xml)?.[0] ?? ''

  it('changes the content', async () => {
    const answer = await changed((xml) => xml.replace('</TrustServiceProviderList>', `${evil}$&`))
    expect(refusalOf(answer)).toMatchObject({ check: 'signature', signature: 'invalid' })
  })

  it('wraps the signed list in another list, and refers to it by Id', async () => {
    const answer = await changed(
      (xml) => {
        const signature = signatureIn(xml)
        const original = xml.replace(signature, '').replace(/<\?xml.*\?>/, '')
        const object = `<ds:Object>${original}</ds:Object>`
        return tslXml(evil)
          .replace('Id="list"', 'Id="other"')
          .replace('</TrustServiceStatusList>', `${signature.replace('</ds:Signature>', `${object}$&`)}$&`)
      },
      { uri: '#list' },
    )
    expect(refusalOf(answer).check).toBe('reference')
  })

  it('wraps the signed list in another list of the same Id', async () => {
    const answer = await changed(
      (xml) => {
        const signature = signatureIn(xml)
        const object = `<ds:Object>${xml.replace(signature, '').replace(/<\?xml.*\?>/, '')}</ds:Object>`
        return tslXml(evil).replace(
          '</TrustServiceStatusList>',
          `${signature.replace('</ds:Signature>', `${object}$&`)}$&`,
        )
      },
      { uri: '#list' },
    )
    expect(refusalOf(answer).check).toBe('duplicate-id')
  })

  it('puts the signed list below another root', async () => {
    const answer = await changed((xml) => `<Outer>${xml.replace(/<\?xml.*\?>/, '')}</Outer>`, { uri: '#list' })
    expect(refusalOf(answer).check).toBe('reference')
  })

  it('adds content inside the signature, which is not signed: nothing of it is read', async () => {
    const inside = `<ds:Object><TrustServiceProviderList>${evil}</TrustServiceProviderList></ds:Object>`
    const answer = await changed((xml) => xml.replace('</ds:Signature>', `${inside}$&`))
    expect(listOf(answer).entities.map(({ names }) => names.en)).toEqual(['Ministry'])
    expect(JSON.stringify(listOf(answer))).not.toContain('Evil')
  })

  it('uses one Id twice', async () => {
    const answer = await changed((xml) => xml.replace('</ds:Signature>', '<ds:Object Id="list"/>$&'))
    expect(refusalOf(answer).check).toBe('duplicate-id')
  })

  it('adds a second signature', async () => {
    const answer = await changed((xml) => xml.replace('</TrustServiceStatusList>', `${signatureIn(xml)}$&`))
    expect(refusalOf(answer).check).toBe('several-signatures')
  })

  it('hides the signature in another element', async () => {
    const answer = await changed((xml) =>
      xml.replace(signatureIn(xml), '').replace('</SchemeInformation>', `${signatureIn(xml)}$&`),
    )
    expect(refusalOf(answer).check).toBe('reference')
  })

  it('has a document type', async () => {
    const answer = await changed((xml) => xml.replace('<TrustServiceStatusList', '<!DOCTYPE x>$&'))
    expect(refusalOf(answer).check).toBe('doctype')
  })

  it('expands entities (billion laughs), or reads a file by an external entity', async () => {
    const laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
    const file = '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>'
    for (const type of [laughs, file]) {
      const answer = await changed((xml) => xml.replace('<TrustServiceStatusList', `${type}$&`))
      expect(refusalOf(answer).check).toBe('doctype')
    }
    const undeclared = await changed((xml) => xml.replace('Betreiber', '&undeclared;'))
    expect(refusalOf(undeclared).check).toBe('malformed')
  })

  const transform =
    (algorithm: string, content = '') =>
    (xml: string) =>
      xml.replace(
        '<ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>',
        `<ds:Transform Algorithm="${algorithm}">${content}</ds:Transform>`,
      )

  it.each([
    ['XSLT', transform('http://www.w3.org/TR/1999/REC-xslt-19991116', '<x/>')],
    ['XPath', transform('http://www.w3.org/TR/1999/REC-xpath-19991116', '<ds:XPath>/</ds:XPath>')],
    ['XPath filter 2', transform('http://www.w3.org/2002/06/xmldsig-filter2')],
    ['base64', transform('http://www.w3.org/2000/09/xmldsig#base64')],
    ['canonical XML with comments', transform('http://www.w3.org/2001/10/xml-exc-c14n#WithComments')],
    [
      'a canonical form that has parameters of another kind',
      transform('http://www.w3.org/2001/10/xml-exc-c14n#', '<x/>'),
    ],
    ['enveloped-signature twice', transform('http://www.w3.org/2000/09/xmldsig#enveloped-signature')],
  ])('has the transform %s', async (_name, change) => {
    expect(refusalOf(await changed(change)).check).toBe('transform')
  })

  it('has a transform after the canonical form', async () => {
    const answer = await changed((xml) =>
      xml.replace(
        '<ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>',
        '$&<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><ds:XPath>/</ds:XPath></ds:Transform>',
      ),
    )
    expect(refusalOf(answer).check).toBe('transform')
  })

  it('has a canonical form of its signature that is not known', async () => {
    const answer = await changed((xml) =>
      xml.replace(/CanonicalizationMethod Algorithm="[^"]*"/, 'CanonicalizationMethod Algorithm="urn:own"'),
    )
    expect(refusalOf(answer).check).toBe('transform')
  })

  it.each([
    ['external-reference', 'another document', 'URI="https://evil.example/list.xml"'],
    ['external-reference', 'a file', 'URI="file:///etc/passwd"'],
    ['reference', 'an XPointer', 'URI="#xpointer(/)"'],
    ['reference', 'an element of the list', 'URI="#part"'],
    ['reference', 'nothing that it names', ''],
  ] as const)('%s: refers to %s', async (check, _name, uri) => {
    expect(refusalOf(await changed((xml) => xml.replace('URI=""', uri))).check).toBe(check)
  })

  it('has more references than a signature of a list has', async () => {
    const answer = await changed((xml) => {
      const [reference = ''] = /<ds:Reference [\s\S]*?<\/ds:Reference>/.exec(xml) ?? []
      return xml.replace('</ds:SignedInfo>', `${reference}$&`)
    })
    expect(refusalOf(answer).check).toBe('reference')
  })

  it('has no transform that takes the signature out of the list, or takes it out of the signed properties', async () => {
    const enveloped = /<ds:Transform Algorithm="[^"]*enveloped-signature"\s*\/>/
    const without = await changed((xml) => xml.replace(enveloped, ''))
    expect(refusalOf(without).check).toBe('reference')
    const twice = await changed((xml) => {
      const [transform = ''] = enveloped.exec(xml) ?? []
      return xml.replace('#SignedProperties">', `$&<ds:Transforms>${transform}</ds:Transforms>`)
    })
    expect(refusalOf(twice).check).toBe('reference')
  })

  it('covers the signed properties only', async () => {
    const answer = await changed((xml) => xml.replace(/<ds:Reference URI="">[\s\S]*?<\/ds:Reference>/, ''))
    expect(refusalOf(answer)).toMatchObject({
      check: 'reference',
      sentence: 'The signature does not cover the whole list.',
    })
  })

  it('covers the list only, so that anybody could write its signed properties', async () => {
    const answer = await changed((xml) =>
      xml.replace(/<ds:Reference [^>]*Type="[^"]*#SignedProperties"[^>]*>[\s\S]*?<\/ds:Reference>/, ''),
    )
    expect(refusalOf(answer)).toMatchObject({
      check: 'signed-properties',
      sentence: 'The signature does not cover its signed properties (XAdES).',
    })
  })

  it('splits a text by a comment: the text is read as it was signed', async () => {
    const xml = tslXml(providerXml('Good<!-- -->Ministry'))
    const list = listOf(await readTsl(await signXml(xml, { uri: '' }), options()))
    expect(list.entities[0]?.names.en).toBe('GoodMinistry')
    const later = await changed((signed) => signed.replace('Ministry', 'Min<!-- evil -->istry'))
    expect(listOf(later).entities[0]?.names.en).toBe('Ministry')
  })

  it('changes what the signed properties say', async () => {
    const answer = await changed((xml) => xml.replace('2026-05-01T00:00:00.000Z', '2026-05-02T00:00:00.000Z'))
    expect(refusalOf(answer).check).toBe('signature')
  })

  it('changes the signature itself, its algorithm, or its hash', async () => {
    const value = await changed((xml) => xml.replace(/<ds:SignatureValue>.{8}/, '<ds:SignatureValue>AAAAAAAA'))
    expect(refusalOf(value).check).toBe('signature')
    const digest = await changed((xml) => xml.replace(/<ds:DigestValue>.{8}/, '<ds:DigestValue>AAAAAAAA'))
    expect(refusalOf(digest).check).toBe('signature')
    const hmac = 'http://www.w3.org/2000/09/xmldsig#hmac-sha1'
    const other = await changed((xml) => xml.replace(/(SignatureMethod Algorithm=")[^"]*/, `$1${hmac}`))
    expect(refusalOf(other).check).toBe('algorithm')
    const rsa = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
    const misfit = await changed((xml) => xml.replace(/(SignatureMethod Algorithm=")[^"]*/, `$1${rsa}`))
    expect(refusalOf(misfit).check).toBe('algorithm')
  })
})

describe('a list in XML that is refused', () => {
  const list =
    (...more: Parameters<typeof tslXml>) =>
    () =>
      signXml(tslXml(...more), { uri: '' })
  const of = (more: Parameters<typeof tslXml>[1]) => list(undefined, more)
  const nested = (depth: number) => `<a>${'<b>'.repeat(depth)}${'</b>'.repeat(depth)}</a>`
  const expired = makeCertificate({
    subject: 'Old',
    keyUsage: SIGN,
    notBefore: '2020-01-01T00:00:00Z',
    notAfter: '2021-01-01T00:00:00Z',
  })
  const cases: readonly [ListCheck, string, () => Promise<Uint8Array> | Uint8Array, Partial<ReadOptions>?][] = [
    ['too-large', 'of more than 16 MiB', () => new Uint8Array(16 * 1024 * 1024 + 1)],
    ['malformed', 'that is nothing', () => new Uint8Array(0)],
    ['malformed', 'that is text', () => Buffer.from('text')],
    ['malformed', 'that is not closed', () => Buffer.from('<a>')],
    ['malformed', 'in UTF-16', () => Buffer.from('<a/>', 'utf16le')],
    ['malformed', 'in Latin 1', () => Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><a/>')],
    ['malformed', 'with a processing instruction', () => Buffer.from('<?xml-stylesheet href="a"?><a/>')],
    ['nested-too-deep', 'that is nested too deep', () => Buffer.from(nested(40))],
    [
      'too-large',
      'with too many attributes',
      () => Buffer.from(`<a ${Array.from({ length: 70 }, (_, at) => `a${at}="1"`).join(' ')}/>`),
    ],
    ['too-large', 'with more than a million elements', () => Buffer.from(`<a>${'<b/>'.repeat(1_000_000)}</a>`)],
    ['unsigned', 'without a signature', () => Buffer.from(tslXml())],
    ['algorithm', 'with SHA-1', () => signXml(tslXml(), { uri: '', hash: 'SHA-1' })],
    [
      'signed-properties',
      'whose signed properties name another certificate',
      () => signXml(tslXml(), { uri: '', named: stranger }),
    ],
    [
      'signed-properties',
      'whose signed properties name no certificate',
      () => signXml(tslXml(), { uri: '', named: null }),
    ],
    [
      'signed-properties',
      'signed in the future',
      () => signXml(tslXml(), { uri: '', signingTime: new Date('2026-07-01T00:00:00Z') }),
    ],
    [
      'signed-properties',
      'signed before its signer’s certificate was valid',
      () => signXml(tslXml(), { uri: '', signingTime: new Date('2024-12-31T00:00:00Z') }),
    ],
    ['signed-properties', 'without a signing time', () => signXml(tslXml(), { uri: '', signingTime: null })],
    [
      'algorithm',
      'with a signer whose key is of an unknown kind',
      () => {
        const strange = strangeKey({ subject: 'Strange', keyUsage: SIGN })
        return signXml(tslXml(), { uri: '', named: strange, x509: [strange.x5c] })
      },
    ],
    [
      'no-signer',
      'without a certificate, if only a hash is pinned',
      () => signXml(tslXml(), { uri: '', x509: [] }),
      {
        signer: { sha256: sha256Of(operator) },
      },
    ],
    ['signature', 'signed with another key', () => signXml(tslXml(), { uri: '', by: stranger, x509: [operator.x5c] })],
    ['signer', 'of somebody else', () => signXml(tslXml(), { uri: '', by: stranger })],
    [
      'signer-expired',
      'of a signer whose certificate has expired',
      () => signXml(tslXml(), { uri: '', by: expired }),
      {
        signer: { pem: String(expired.certificate) },
      },
    ],
    ['pin', 'with a pin that is none', list(), { signer: { sha256: 'x' } }],
    ['profile', 'if a profile is wanted', list(), { profile: 'pid' }],
    ['type', 'of another root', of({ root: 'OtherList' })],
    ['type', 'of another version', of({ version: '4' })],
    ['malformed', 'with a sequence number that is none', of({ sequence: '-1' })],
    ['malformed', 'with a broken date', of({ issued: 'today' })],
    ['malformed', 'with a certificate that is none', list(providerXml('A', serviceXml({ certificates: ['AAAA'] })))],
    ['malformed', 'with a provider without services', list('<TrustServiceProvider/>')],
    [
      'malformed',
      'with two schemes',
      async () => signXml(tslXml().replace('<TrustServiceProviderList>', '<SchemeInformation/>$&'), { uri: '' }),
    ],
    ['out-of-date', 'that is closed', of({ nextUpdate: '' })],
    ['out-of-date', 'after its next update', of({ nextUpdate: '<dateTime>2026-05-02T00:00:00Z</dateTime>' })],
    ['not-yet-issued', 'issued in the future', of({ issued: '2026-06-02T00:00:00Z' })],
    ['territory', 'of another territory', list(), { territory: 'DE' }],
    [
      'sequence-went-back',
      'with a smaller number',
      list(),
      {
        previous: { sequenceNumber: 43, issuedAt: new Date(0) },
      },
    ],
    [
      'critical-extension',
      'with an unknown critical extension',
      of({
        more: '<SchemeExtensions><Extension Critical="true"><x/></Extension></SchemeExtensions>',
      }),
    ],
    [
      'too-many-certificates',
      'with too many certificates of a service',
      list(providerXml('A', serviceXml({ certificates: new Array(65).fill('MAA=') }))),
    ],
    ['too-many-entities', 'with too many providers', list('<TrustServiceProvider/>'.repeat(5_001))],
  ]

  it.each(cases)('%s: %s', async (check, _name, bytes, more = {}) => {
    const refusal = refusalOf(await readTsl(await bytes(), options(more)))
    expect(refusal).toMatchObject({ accepted: false, check })
    expect(refusal.sentence).toMatch(/^[A-Z].*\.$/)
  })
})
