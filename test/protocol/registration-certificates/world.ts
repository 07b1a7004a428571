import { trustedChain } from '../../../server/protocol/issuer-keys/trusted-chain.js'
import { createSigner, type Signer, signCompact } from '../../../server/protocol/jose/jws.js'
import { encodeCbor } from '../../../server/protocol/mdoc/cbor/encode.js'
import { type CborKey, type Encodable, Tagged } from '../../../server/protocol/mdoc/cbor/values.js'
import { createSign1, x5chainHeader } from '../../../server/protocol/mdoc/cose/sign1.js'
import type { JudgeSigner } from '../../../server/protocol/registration-certificates/registration-certificate.js'
import { makeCertificate, type TestCertificate } from '../issuer-keys/certificates.js'

export const NOW = new Date('2026-06-01T00:00:00Z')
export const SIGN = 0x80
export const CERTIFY = 0x04

/** The registrar whose root is trusted, and the provider of certificates under it. */
export const registrar = makeCertificate({ subject: 'C=EU/Registrar', ca: true, keyUsage: CERTIFY })
export const provider = makeCertificate({ subject: 'C=EU/Provider', issuer: registrar, keyUsage: SIGN })

/** Judges signers by the root of the registrar. */
export const byRegistrar: JudgeSigner = (x5c) =>
  trustedChain(x5c, { trustAnchors: [registrar.certificate], now: NOW, purpose: 'credential' })

const seconds = (iso: string) => Date.parse(iso) / 1000

/** The claims of a shop, in the form of TS 119 475 §5.2.4. */
export const shopClaims = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'Online Shop',
  sub_ln: 'Online Shop AG',
  sub: 'LEIXG-529900T8BM49AURSDO55',
  country: 'DE',
  registry_uri: 'https://register.example/wrp/1',
  srv_description: [[{ lang: 'en', value: 'A shop for wine' }]],
  entitlements: ['https://uri.etsi.org/19475/Entitlement/Service_Provider'],
  privacy_policy: 'https://shop.example/privacy',
  info_uri: 'https://shop.example',
  support_uri: 'mailto:help@shop.example',
  supervisory_authority: { uri: 'https://dpa.example', email: 'office@dpa.example', phone: '+49 1' },
  policy_id: ['0.4.0.19475.3.1'],
  certificate_policy: 'https://register.example/policy',
  iat: seconds('2026-03-01T00:00:00Z'),
  exp: seconds('2027-02-01T00:00:00Z'),
  status: { status_list: { idx: 156, uri: 'https://status.example/1' } },
  purpose: [
    { lang: 'en', value: 'We check your age.' },
    { lang: 'de', value: 'Wir prüfen Ihr Alter.' },
  ],
  credentials: [
    {
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claim: [{ path: ['age_equal_or_over', '18'] }, { path: ['nationalities', null] }],
    },
  ],
  intended_use_id: 'age-check',
  ...more,
})

export const signerOf = ({ privateKey }: TestCertificate): Promise<Signer> =>
  createSigner(privateKey.export({ format: 'jwk' }), 'registrar-key')

interface Signed {
  readonly by?: TestCertificate
  readonly chain?: readonly TestCertificate[]
  readonly header?: Record<string, unknown>
}

/** Signs claims as a registration certificate in the JWT form. */
export const signedJwt = async (
  claims: Record<string, unknown>,
  { by = provider, chain = [by], header = {} }: Signed = {},
): Promise<string> =>
  signCompact(
    await signerOf(by),
    { typ: 'rc-wrp+jwt', x5c: chain.map(({ x5c }) => x5c), kid: undefined, ...header },
    claims,
  )

const encodable = (value: unknown): Encodable => {
  if (Array.isArray(value)) return value.map(encodable)
  if (typeof value !== 'object' || value === null) return value as Encodable
  return new Map(Object.entries(value).map(([name, member]) => [name, encodable(member)]))
}

/** Signs claims as a registration certificate in the CWT form. Claims with a number have it as their key. */
export async function signedCwt(
  claims: ReadonlyMap<CborKey, unknown>,
  { by = provider, typ = 'rc-wrp+cwt', tagged = true, withChain = true } = {},
): Promise<Uint8Array> {
  const protectedHeader = new Map<CborKey, Encodable>([
    [16, typ],
    ...(withChain ? x5chainHeader([by.certificate.raw]) : []),
  ])
  const payload = encodeCbor(new Map(Array.from(claims, ([key, value]) => [key, encodable(value)])))
  const sign1 = await createSign1(await signerOf(by), payload, { protectedHeader })
  return encodeCbor(tagged ? new Tagged(18, sign1) : sign1)
}

const NUMBERS: Readonly<Record<string, number>> = { sub: 2, exp: 4, iat: 6, status: 65_535 }

/** The claims with numbers where RFC 8392 and the Token Status List have numbers. */
export const numbered = (claims: Record<string, unknown>): ReadonlyMap<CborKey, unknown> =>
  new Map(Object.entries(claims).map(([name, value]) => [NUMBERS[name] ?? name, value]))
