import { describe, expect, it } from 'vitest'
import type { RegistrationContent } from '../../../server/protocol/registration-certificates/content.js'
import {
  RegistrationCertificateError,
  type RegistrationCheck,
} from '../../../server/protocol/registration-certificates/fault.js'
import {
  openRegistrationCertificate,
  validityFault,
} from '../../../server/protocol/registration-certificates/registration-certificate.js'
import { makeCertificate } from '../issuer-keys/certificates.js'
import {
  byRegistrar,
  CERTIFY,
  NOW,
  numbered,
  provider,
  registrar,
  SIGN,
  shopClaims,
  signedCwt,
  signedJwt,
} from './world.js'

const refusal = async (data: string | Uint8Array | Promise<string | Uint8Array>) => {
  try {
    await openRegistrationCertificate(await data, byRegistrar)
  } catch (error) {
    if (error instanceof RegistrationCertificateError) return { check: error.check, sentence: error.message }
    throw error
  }
  throw new Error('The certificate was accepted.')
}

const contentOf = async (claims: Record<string, unknown>): Promise<RegistrationContent> =>
  (await openRegistrationCertificate(await signedJwt(claims), byRegistrar)).content

describe('The content of a registration certificate (TS 119 475 §5.2.4, tables 7 to 10)', () => {
  it('is read from a JWT', async () => {
    expect(await contentOf(shopClaims())).toEqual({
      subject: {
        identifier: 'LEIXG-529900T8BM49AURSDO55',
        name: 'Online Shop',
        legalName: 'Online Shop AG',
        country: 'DE',
      },
      entitlements: ['https://uri.etsi.org/19475/Entitlement/Service_Provider'],
      intendedUse: 'age-check',
      purposes: [
        { lang: 'en', value: 'We check your age.' },
        { lang: 'de', value: 'Wir prüfen Ihr Alter.' },
      ],
      credentials: [
        {
          format: 'dc+sd-jwt',
          meta: { vct_values: ['urn:eudi:pid:1'] },
          claims: [
            ['age_equal_or_over', '18'],
            ['nationalities', null],
          ],
        },
      ],
      providesAttestations: [],
      services: [{ lang: 'en', value: 'A shop for wine' }],
      privacyPolicy: 'https://shop.example/privacy',
      infoUri: 'https://shop.example',
      support: 'mailto:help@shop.example',
      registryUri: 'https://register.example/wrp/1',
      certificatePolicy: 'https://register.example/policy',
      supervisoryAuthority: { uri: 'https://dpa.example', email: 'office@dpa.example', phone: '+49 1' },
      policyIds: ['0.4.0.19475.3.1'],
      issuedAt: new Date('2026-03-01T00:00:00Z'),
      expiresAt: new Date('2027-02-01T00:00:00Z'),
      status: { uri: 'https://status.example/1', idx: 156 },
    })
  })

  it('is the same in the example of the EU wallet library, which follows annex C', async () => {
    const content = await contentOf(EU_EXAMPLE)
    expect(content.subject).toEqual({
      identifier: 'LEIXG-529900T8BM49AURSDO55',
      name: 'Example Company',
      legalName: 'Example Company GmbH',
      country: 'DE',
    })
    expect(content.services).toHaveLength(2)
    expect(content.credentials.map(({ format, claims }) => [format, claims])).toEqual([
      ['dc+sd-jwt', [['age_equal_or_over', '18']]],
      ['mso_mdoc', [['eu.europa.ec.eudi.pid.1', 'age_over_18']]],
    ])
    expect(content.providesAttestations).toEqual([
      { format: 'dc+sd-jwt', meta: { vct_values: ['https://example.com/attestations/age_over_18'] } },
    ])
    expect(content.intermediary).toEqual({
      identifier: 'LEIXG-INTERMEDIARY-1234567890',
      name: 'Intermediary Services Ltd.',
    })
    expect(content.expiresAt).toBeUndefined()
  })

  it('has the intermediary of table 10 (sname) and of GEN-5.2.4-09 (act.sub)', async () => {
    expect(
      (await contentOf(shopClaims({ intermediary: { sub: 'VATDE-9', sname: 'Broker' }, act: { sub: 'VATDE-9' } })))
        .intermediary,
    ).toEqual({ identifier: 'VATDE-9', name: 'Broker' })
    expect((await contentOf(shopClaims({ act: { sub: 'VATDE-9' } }))).intermediary).toEqual({ identifier: 'VATDE-9' })
    expect(await refusal(signedJwt(shopClaims({ intermediary: { sub: 'VATDE-9' }, act: { sub: 'VATDE-8' } })))).toEqual(
      {
        check: 'malformed',
        sentence: 'The registration certificate is malformed: act.sub must be the same as intermediary.sub.',
      },
    )
  })

  it('takes claims that other programs write, and lets `claim` of the standard count', async () => {
    const meta = { vct_values: ['a'] }
    const entry = (more: object) => shopClaims({ credentials: [{ format: 'dc+sd-jwt', meta, ...more }] })
    expect((await contentOf(entry({ claims: [{ path: ['x'] }] }))).credentials[0]?.claims).toEqual([['x']])
    expect((await contentOf(entry({ claim: [], claims: [{ path: ['x'] }] }))).credentials[0]?.claims).toEqual([])
    expect((await contentOf(entry({}))).credentials[0]?.claims).toBeUndefined()
  })

  it('leaves out information with another form, and each link that is no web address', async () => {
    const content = await contentOf(
      shopClaims({
        privacy_policy: 'javascript:alert(1)',
        info_uri: ['https://shop.example'],
        registry_uri: 'data:text/html,x',
        supervisory_authority: { uri: 'javascript:alert(1)', email: 7 },
        sub_ln: 5,
        provides_attestations: ['https://schemas.example/1'],
      }),
    )
    expect(content).not.toHaveProperty('privacyPolicy')
    expect(content).not.toHaveProperty('infoUri')
    expect(content).not.toHaveProperty('registryUri')
    expect(content.supervisoryAuthority).toEqual({})
    expect(content.subject).not.toHaveProperty('legalName')
    expect(content.providesAttestations).toEqual([])
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['sub', { sub: undefined }, 'sub is missing'],
    ['sub as in version 1.1.1', { sub: { id: 'LEIXG-1' } }, 'sub must be a text of 1 to 500 characters'],
    ['name', { name: ' ' }, 'name must be a text of 1 to 500 characters'],
    ['entitlements', { entitlements: [] }, 'entitlements must not be empty'],
    ['entitlements as a text', { entitlements: 'all' }, 'entitlements must be an array'],
    ['iat', { iat: undefined }, 'iat is missing'],
    ['iat as a text', { iat: '1' }, 'iat must be a time in seconds'],
    ['exp', { exp: 1e300 }, 'exp must be a time in seconds'],
    ['status', { status: undefined }, 'status is missing'],
    [
      'the address of the status list',
      { status: { status_list: { idx: 0, uri: 'file:///etc/passwd' } } },
      'status.status_list.uri must be a web address',
    ],
    [
      'the index in the status list',
      { status: { status_list: { idx: -1, uri: 'https://a.example' } } },
      'status.status_list.idx must be a non-negative integer',
    ],
    ['purpose', { purpose: [{ lang: 'no language', value: 'x' }] }, 'purpose[0].lang must be a language tag'],
    ['credentials', { credentials: {} }, 'credentials must be an array'],
    ['meta', { credentials: [{ format: 'a', meta: 'x' }] }, 'credentials[0].meta must be an object'],
    ['empty meta', { credentials: [{ format: 'a', meta: {} }] }, 'credentials[0].meta must not be empty'],
    [
      'an empty path',
      { credentials: [{ format: 'a', meta: { a: 1 }, claim: [{ path: [] }] }] },
      'credentials[0].claim[0].path must not be empty',
    ],
    [
      'a path as a text',
      { credentials: [{ format: 'a', meta: { a: 1 }, claim: [{ path: 'x' }] }] },
      'credentials[0].claim[0].path must be an array',
    ],
    [
      'a path with an object',
      { credentials: [{ format: 'a', meta: { a: 1 }, claim: [{ path: ['x', {}] }] }] },
      'credentials[0].claim[0].path must hold only texts, non-negative integers and null',
    ],
  ])('is refused because of %s', async (_, more, reason) => {
    expect(await refusal(signedJwt(shopClaims(more)))).toEqual({
      check: 'malformed',
      sentence: `The registration certificate is malformed: ${reason}.`,
    })
  })

  it('has bounds for counts, lengths and depth', async () => {
    const many = (count: number, value: unknown) => Array.from({ length: count }, () => value)
    const credential = { format: 'a', meta: { a: 1 } }
    const deep = Array.from({ length: 20 }).reduce<unknown>((inner) => [inner], 'x')
    for (const more of [
      { credentials: many(65, credential) },
      { credentials: [{ ...credential, claim: many(257, { path: ['x'] }) }] },
      { credentials: [{ ...credential, claim: [{ path: many(33, 'x') }] }] },
      { purpose: many(51, { lang: 'en', value: 'x' }) },
      { purpose: [{ lang: 'en', value: 'x'.repeat(2_001) }] },
      { entitlements: many(51, 'x') },
      { other: deep },
    ]) {
      expect(await refusal(signedJwt(shopClaims(more)))).toMatchObject({ check: 'malformed' })
    }
    expect(await refusal(signedJwt(shopClaims({ other: 'x'.repeat(70_000) })))).toEqual({
      check: 'too-large',
      sentence: 'The registration certificate is longer than 64 KiB.',
    })
  })
})

describe('The signature of a registration certificate (TS 119 475 §5.2.1, §5.2.2)', () => {
  it('proves its signer, whose chain is judged before the signature', async () => {
    const { form, signer } = await openRegistrationCertificate(await signedJwt(shopClaims()), byRegistrar)
    expect(form).toBe('jwt')
    expect(signer.jwk).toMatchObject({ kty: 'EC', crv: 'P-256' })
  })

  it('is not replaced by the algorithm none', async () => {
    const [, payload] = (await signedJwt(shopClaims())).split('.')
    const header = Buffer.from(JSON.stringify({ typ: 'rc-wrp+jwt', alg: 'none', x5c: [provider.x5c] }))
    expect(await refusal(`${header.toString('base64url')}.${payload}.`)).toMatchObject({ check: 'algorithm' })
  })

  it('is not made with a shared secret', async () => {
    const [, payload, signature] = (await signedJwt(shopClaims())).split('.')
    const header = Buffer.from(JSON.stringify({ typ: 'rc-wrp+jwt', alg: 'HS256', x5c: [provider.x5c] }))
    expect(await refusal(`${header.toString('base64url')}.${payload}.${signature}`)).toMatchObject({
      check: 'algorithm',
    })
  })

  it('covers the content', async () => {
    const [header, , signature] = (await signedJwt(shopClaims())).split('.')
    const other = Buffer.from(JSON.stringify(shopClaims({ sub: 'LEIXG-OTHER' }))).toString('base64url')
    expect(await refusal(`${header}.${other}.${signature}`)).toEqual({
      check: 'signature',
      sentence: 'The signature of the registration certificate does not fit its content.',
    })
  })

  it('is not by a key in the header (jwk), by a stranger, or by the relying party itself', async () => {
    const stranger = makeCertificate({ subject: 'C=EU/Provider', keyUsage: SIGN })
    const jwk = stranger.certificate.publicKey.export({ format: 'jwk' })
    // The chain leads to the provider. The embedded key belongs to the stranger.
    const embedded = signedJwt(shopClaims(), { by: stranger, chain: [provider], header: { jwk } })
    expect(await refusal(embedded)).toMatchObject({ check: 'signature' })
    expect(await refusal(signedJwt(shopClaims(), { by: stranger }))).toMatchObject({ check: 'signer' })
    const accessAuthority = makeCertificate({ subject: 'Access CA', ca: true, keyUsage: CERTIFY })
    const party = makeCertificate({ subject: 'OI=LEIXG-1/Shop', issuer: accessAuthority, keyUsage: SIGN })
    expect(await refusal(signedJwt(shopClaims(), { by: party, chain: [party, accessAuthority] }))).toMatchObject({
      check: 'signer',
    })
    expect(await refusal(signedJwt(shopClaims(), { by: registrar }))).toMatchObject({ check: 'signer' })
    expect(await refusal(signedJwt(shopClaims(), { header: { x5c: undefined } }))).toEqual({
      check: 'signer',
      sentence: 'The registration certificate has no certificate of its signer (x5c).',
    })
  })

  it.each([
    ['JWT', 'jwt'],
    ['the German profile', 'rc-rp+jwt'],
    ['no type', undefined],
    ['the CWT form', 'rc-wrp+cwt'],
  ])('is of no other type: %s', async (_, typ) => {
    expect(await refusal(signedJwt(shopClaims(), { header: { typ } }))).toEqual({
      check: 'type',
      sentence: 'The registration certificate is not of type rc-wrp+jwt.',
    })
  })

  it('takes critical parameters of JAdES, and refuses others', async () => {
    const header = { sigT: '2026-05-01T00:00:00Z', crit: ['sigT'] }
    await openRegistrationCertificate(await signedJwt(shopClaims(), { header }), byRegistrar)
    expect(await refusal(signedJwt(shopClaims(), { header: { sigPId: {}, crit: ['sigPId'] } }))).toMatchObject({
      check: 'malformed',
    })
    expect(await refusal(signedJwt(shopClaims(), { header: { b64: false, crit: ['b64'] } }))).toMatchObject({
      check: 'malformed',
    })
  })

  it.each(['', 'x', 'not/base64url', 'a.b', 'a.b.c'])('is not read from %j', async (data) => {
    expect((await refusal(data)).check).toBe<RegistrationCheck>('malformed')
  })
})

describe('The CWT form (TS 119 475 §5.2.3)', () => {
  it('has the same content as the JWT form, with numbers or names of claims', async () => {
    const wanted = await contentOf(shopClaims())
    for (const data of [
      await signedCwt(numbered(shopClaims())),
      await signedCwt(new Map(Object.entries(shopClaims()))),
      await signedCwt(numbered(shopClaims()), { tagged: false, typ: 'application/rc-wrp+cwt' }),
      Buffer.from(await signedCwt(numbered(shopClaims()))).toString('base64url'),
    ]) {
      const { form, content } = await openRegistrationCertificate(data, byRegistrar)
      expect(form).toBe('cwt')
      expect(content).toEqual(wanted)
    }
  })

  it('is refused with another type, without a chain, by a stranger, changed, or with a claim twice', async () => {
    const claims = numbered(shopClaims())
    expect(await refusal(signedCwt(claims, { typ: 'rc-wrp+jwt' }))).toMatchObject({ check: 'type' })
    expect(await refusal(signedCwt(claims, { withChain: false }))).toMatchObject({ check: 'signer' })
    const stranger = makeCertificate({ subject: 'C=EU/Provider', keyUsage: SIGN })
    expect(await refusal(signedCwt(claims, { by: stranger }))).toMatchObject({ check: 'signer' })
    const bytes = Buffer.from(await signedCwt(claims))
    const at = bytes.indexOf('Online Shop')
    bytes[at] = 0x58
    expect(await refusal(bytes)).toMatchObject({ check: 'signature' })
    expect(await refusal(signedCwt(new Map([...claims, ['sub', 'LEIXG-OTHER']])))).toEqual({
      check: 'malformed',
      sentence: 'The registration certificate is malformed: sub must not be there twice.',
    })
    expect(await refusal(new Uint8Array(65_537))).toMatchObject({ check: 'too-large' })
  })
})

describe('The validity of a registration certificate (TS 119 475 §5.2.4, GEN-5.2.4-08)', () => {
  const at = async (claims: Record<string, unknown>, now = NOW) =>
    validityFault(await contentOf(shopClaims(claims)), now)
  const seconds = (iso: string) => Date.parse(iso) / 1000

  it('lasts from iat to exp', async () => {
    expect(await at({})).toBeUndefined()
    expect(await at({ exp: undefined })).toBeUndefined()
    expect(await at({}, new Date('2027-01-31T23:59:59Z'))).toBeUndefined()
    expect(await at({}, new Date('2027-02-01T00:00:00Z'))).toEqual({
      check: 'expired',
      sentence: 'The registration certificate expired at 2027-02-01T00:00:00.000Z.',
    })
    expect(await at({}, new Date('2026-02-28T00:00:00Z'))).toEqual({
      check: 'not-yet-valid',
      sentence: 'The registration certificate is not valid before 2026-03-01T00:00:00.000Z.',
    })
    expect(await at({ nbf: seconds('2026-07-01T00:00:00Z') })).toMatchObject({ check: 'not-yet-valid' })
  })

  it('is at most 12 months long', async () => {
    expect(await at({ exp: seconds('2027-03-01T00:00:00Z') })).toBeUndefined()
    expect(await at({ exp: seconds('2027-03-03T00:00:00Z') })).toEqual({
      check: 'too-long',
      sentence: 'The registration certificate is valid for longer than 12 months.',
    })
  })
})

const EU_EXAMPLE = {
  name: 'Example Company',
  sub_ln: 'Example Company GmbH',
  sub: 'LEIXG-529900T8BM49AURSDO55',
  country: 'DE',
  registry_uri: 'https://registrar.com',
  srv_description: [
    { lang: 'en-US', value: 'Awesome Service by Example Company' },
    { lang: 'de-DE', value: 'Super Dienst von Example Company' },
  ],
  entitlements: ['https://uri.etsi.org/19475/Entitlement/Non_Q_EAA_Provider'],
  privacy_policy: 'https://example.com/privacy-policy',
  info_uri: 'https://example.com/info',
  support_uri: 'https://example.com/support',
  supervisory_authority: {
    email: 'supervisory@dpa.com',
    phone: '+49 123 4567890',
    uri: 'https://dpa.com/supervisory-authority',
  },
  policy_id: ['0.4.0.19475.3.1'],
  certificate_policy: 'https://registrar.com/certificate-policy',
  iat: 1683000000,
  status: { status_list: { idx: 0, uri: 'https://example.com/statuslists/1' } },
  purpose: [
    { lang: 'en-US', value: 'Required for checking the minimum age' },
    { lang: 'de-DE', value: 'Benötigt für die Überprüfung des Mindestalters' },
  ],
  credentials: [
    {
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:de:1'] },
      claim: [{ path: ['age_equal_or_over', '18'] }],
    },
    {
      format: 'mso_mdoc',
      meta: { doctype_value: 'eu.europa.ec.eudi.pid.1' },
      claim: [{ path: ['eu.europa.ec.eudi.pid.1', 'age_over_18'] }],
    },
  ],
  provides_attestations: [
    { format: 'dc+sd-jwt', meta: { vct_values: ['https://example.com/attestations/age_over_18'] } },
  ],
  intermediary: { sub: 'LEIXG-INTERMEDIARY-1234567890', name: 'Intermediary Services Ltd.' },
}
