import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSigner, type Jwk } from '../../../server/protocol/jose/jws.js'
import { readMdoc } from '../../../server/protocol/mdoc/mdoc.js'
import { ELEMENTS } from '../../protocol/mdoc/actors.js'
import { query } from '../../support/postgres.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { newIssuer } from '../issuer-record.js'
import { credentialOf, type Issuer, refusalOf, startIssuer } from './actors.js'
import { startHaip } from './haip-actors.js'
import { newHolderKey, takeOffer } from './library-wallet.js'
import {
  ALL,
  CLAIMS,
  DOCTYPE,
  failedChecks,
  fetchFrom,
  LICENCE,
  leaf,
  licenceSchema,
  MDOC,
  MORE,
  NAMESPACE,
  offerOf,
  postSchema,
  randomsOf,
  startMdocIssuer,
} from './mdoc-actors.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let issuer: Issuer
let close: () => Promise<void>

beforeAll(async () => {
  ;({ issuer, close } = await startMdocIssuer())
})
afterAll(() => close())

const metadata = async () =>
  (await issuer.service.request('GET', '/.well-known/openid-credential-issuer')).json
    .credential_configurations_supported

/** Lets each wallet take a mobile document, from a separate offer. */
async function taken(...wallets: readonly WalletActor[]): Promise<string[]> {
  const { credentialOfferSessionId: id } = await offerOf(issuer)
  const answer = await issuer.take(await issuer.token(id), MDOC, ...wallets)
  expect(answer.status, answer.text).toBe(200)
  return answer.json.credentials.map(({ credential }: { credential: string }) => credential)
}

const sign = async (body: Readonly<Record<string, unknown>>) =>
  issuer.service.request('POST', '/credentials/sign', {
    authorization: await issuer.authorization(),
    body: { type: LICENCE, credential_subject: CLAIMS, format: 'mso_mdoc', ...body },
  })

describe('the metadata of mobile documents (OpenID4VCI 1.0 Appendix A.2.2)', () => {
  it('have a third configuration for a type with mdoc, and no third configuration for other types', async () => {
    const configurations = await metadata()
    expect(Object.keys(configurations)).toEqual([...ALL, 'ProofOfPurchase', 'ProofOfPurchase-sd-jwt'])
    expect(configurations[MDOC]).toMatchObject({
      format: 'mso_mdoc',
      doctype: DOCTYPE,
      scope: MDOC,
      cryptographic_binding_methods_supported: ['cose_key'],
      credential_signing_alg_values_supported: [-7, -9],
      // Keys of other algorithms are refused, because an mdoc cannot contain them (RFC 9053 §7.1).
      proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256', 'ES384', 'EdDSA'] } },
    })
    expect(configurations[MDOC].vct).toBeUndefined()
  })

  it('name claims by namespace and element (Appendix C.2)', async () => {
    const { claims } = (await metadata())[MDOC].credential_metadata
    expect(claims.map(({ path }: { path: string[] }) => path)).toEqual([
      ...Object.keys(ELEMENTS[NAMESPACE]).map((element) => [NAMESPACE, element]),
      [MORE, 'organ_donor'],
    ])
  })

  it('list the scope by which a wallet may ask', async () => {
    const { json } = await issuer.service.request('GET', '/.well-known/oauth-authorization-server')
    expect(json.scopes_supported).toEqual([...ALL, 'ProofOfPurchase', 'ProofOfPurchase-sd-jwt'])
  })
})

describe('offers of mobile documents', () => {
  it('are listed beside the other formats, in offerings too', async () => {
    const offering = await issuer.makeOffering({ credential_type: LICENCE, credential_subject: CLAIMS })
    expect(offering.credential_configuration_ids).toEqual(ALL)
    const offer = await issuer.service.request('GET', `/openid4vci/offers/${offering.id}`)
    expect(offer.json.credential_configuration_ids).toEqual(ALL)
  })

  const refused = async (members: Readonly<Record<string, unknown>>) => {
    const answer = await issuer.service.request('POST', '/credential-offers', {
      authorization: await issuer.authorization(),
      body: { credentialConfigurationIds: ALL, credentialSubject: CLAIMS, ...members },
    })
    expect(answer.status, answer.text).toBe(400)
    return answer.json.message
  }

  it('of a type without mdoc are refused', async () => {
    expect(
      await refused({
        credentialConfigurationIds: ['ProofOfPurchase-mdoc'],
        credentialSubject: { product: 'Espresso machine' },
      }),
    ).toContain('credentialConfigurationIds names ProofOfPurchase-mdoc, which needs a schema with mdoc')
  })

  it.each([
    [
      'that is not base64, although the schema demands it',
      { portrait: '###' },
      'Claim portrait cannot stand in an mdoc',
    ],
    [
      'below an element that is an object',
      { privileges: [{ code: 'B', from: 'long ago' }] },
      'Claim privileges.0.from cannot stand in an mdoc',
    ],
  ])(
    'attack: a value %s is refused when the offer is made, and the error names its claim',
    async (_, changes, message) => {
      expect(String(await refused({ credentialSubject: { ...CLAIMS, ...changes } }))).toContain(message)
    },
  )

  it('attack: a claim in more elements than a verifier would read is refused when the offer is made', async () => {
    const name = 'WideLicence'
    const elements = Object.fromEntries(Array.from({ length: 256 }, (_, each) => [`element_${each}`, '/portrait']))
    const mdoc = { doctype: DOCTYPE, namespaces: { [NAMESPACE]: elements } }
    expect((await postSchema(issuer, licenceSchema({ name, mdoc }))).status).toBe(201)
    const offered = { credentialConfigurationIds: [`${name}-mdoc`] }
    const message = await refused({ ...offered, credentialSubject: { portrait: 'A'.repeat(1024) } })
    expect(String(message)).toContain('The mdoc of the subject would be too large.')
    const made = await offerOf(issuer, { ...offered, credentialSubject: { portrait: 'A'.repeat(64) } })
    const credential = credentialOf(
      await issuer.take(await issuer.token(made.credentialOfferSessionId), `${name}-mdoc`),
    )
    expect(Object.keys(readMdoc(credential).claims[NAMESPACE] ?? {})).toHaveLength(256)
  })

  it('of another issuer, without a certificate, are refused, and its offerings contain none', async () => {
    const { id: issuerId } = await newIssuer(issuer.service, 'issuer')
    expect(await refused({ issuerId })).toContain(
      `credentialConfigurationIds names ${MDOC}, which needs an issuer with a certificate (for the default issuer: ISSUER_X509)`,
    )
    const { id } = await issuer.makeOffering({ credential_type: LICENCE, credential_subject: CLAIMS, issuerId })
    const offer = await issuer.service.request('GET', `/openid4vci/offers/${id}`)
    expect(offer.json.credential_configuration_ids).toEqual(ALL.slice(0, 2))
  })
})

describe('@openid4vc/openid4vci takes all three formats in one session (HAIP 1.0 §3.2)', () => {
  it('and @auth0/mdl verifies the mobile document; it is one redemption of one credential', async () => {
    const made = await offerOf(issuer)
    const key = await newHolderKey()
    const offers = await takeOffer({
      offer: made.credentialOfferUri,
      keys: [key],
      named: 'by jwk',
      fetch: fetchFrom(issuer),
    })
    expect(Object.values(offers).map(({ format }) => format)).toEqual(['jwt_vc_json', 'dc+sd-jwt', 'mso_mdoc'])
    const issuerSigned = offers[MDOC]?.credentials[0] ?? ''
    const signer = await createSigner(key.privateJwk as Jwk, 'device')
    const disclosed = [
      [NAMESPACE, 'family_name'],
      [NAMESPACE, 'birth_date'],
      [MORE, 'organ_donor'],
    ] as const
    expect(await failedChecks(issuerSigned, signer, disclosed)).toEqual([])
    const instances = await query(
      issuer.service.databaseUrl,
      `SELECT i.format, i.configuration_id, i.credential_id FROM credential_instances i
       JOIN redemptions r ON r.credential_id = i.credential_id WHERE r.offering_id = $1 ORDER BY i.format`,
      [made.credentialOfferSessionId],
    )
    expect(instances.map(({ format }) => format)).toEqual(['dc+sd-jwt', 'jwt_vc_json', 'mso_mdoc'])
    expect(new Set(instances.map(({ credential_id: id }) => id)).size).toBe(1)
    const [offering] = await query(issuer.service.databaseUrl, 'SELECT redemption_count FROM offerings WHERE id = $1', [
      made.credentialOfferSessionId,
    ])
    expect(offering?.redemption_count).toBe(1)
  })

  it('in a batch, and from a deferred offer after its approval', async () => {
    const keys = [await newHolderKey(), await newHolderKey()]
    const made = await offerOf(issuer, { credentialConfigurationIds: [MDOC], deferred: true })
    const offers = await takeOffer({
      offer: made.credentialOfferUri,
      keys,
      named: 'by did',
      fetch: fetchFrom(issuer),
      whileWaiting: () =>
        issuer.decide(made.credentialOfferSessionId, 'approve', { credentialSubject: { ...CLAIMS, height: 180 } }),
    })
    const documents = (offers[MDOC]?.credentials ?? []).map(readMdoc)
    expect(documents.map(({ deviceKey }) => deviceKey)).toEqual(keys.map(({ publicJwk }) => publicJwk))
    expect(documents.map(({ claims }) => claims[NAMESPACE]?.height)).toEqual([180, 180])
  })
})

describe('the issued document (ISO/IEC 18013-5 §9.1.2)', () => {
  it('has every element of the mapping, the chain without its root, and the status of the Token Status List', async () => {
    const wallet = await newWallet()
    const [document] = (await taken(wallet)).map(readMdoc)
    expect(document).toMatchObject({ doctype: DOCTYPE, claims: ELEMENTS, x5c: [leaf.x5c], deviceKey: wallet.publicJwk })
    expect(document?.status?.uri).toMatch(/^https:\/\/credence\.example\/token-status-lists\//)
  })

  it('leaves out claims that the subject lacks', async () => {
    const { credentialOfferSessionId: id } = await offerOf(issuer, {
      credentialSubject: { name: { family: 'Noether' } },
    })
    const credential = credentialOf(await issuer.take(await issuer.token(id), MDOC))
    expect(readMdoc(credential).claims).toEqual({ [NAMESPACE]: { family_name: 'Noether' } })
  })

  it('is valid in whole hours, for 365 days by default', async () => {
    const [document] = (await taken(await newWallet())).map(readMdoc)
    const { signed, validFrom, validUntil } = document?.validityInfo ?? {}
    expect([Number(signed) % HOUR_MS, Number(validFrom) - Number(signed)]).toEqual([0, 0])
    expect(Number(validUntil) - Number(signed)).toBe(365 * DAY_MS)
  })

  it('is valid for expiresInDays of the schema', async () => {
    const name = 'ShortLicence'
    expect((await postSchema(issuer, licenceSchema({ name, expiresInDays: 30 }))).status).toBe(201)
    const { credentialOfferSessionId: id } = await offerOf(issuer, { credentialConfigurationIds: [`${name}-mdoc`] })
    const credential = credentialOf(await issuer.take(await issuer.token(id), `${name}-mdoc`))
    const { signed, validUntil } = readMdoc(credential).validityInfo
    expect(Number(validUntil) - Number(signed)).toBe(30 * DAY_MS)
  })

  it('is bound to keys of P-256, P-384 and Ed25519, and to no other', async () => {
    for (const alg of ['ES256', 'ES384', 'EdDSA'] as const) {
      const wallet = await newWallet(alg)
      expect((await taken(wallet)).map((each) => readMdoc(each).deviceKey)).toEqual([wallet.publicJwk])
    }
    for (const alg of ['ES256K', 'PS256'] as const) {
      const { credentialOfferSessionId: id } = await offerOf(issuer)
      const token = await issuer.token(id)
      const refusal = refusalOf(await issuer.take(token, MDOC, await newWallet(alg)))
      expect(refusal).toEqual([
        400,
        'invalid_proof',
        'Holder key cannot stand in an mdoc: it must be of P-256, P-384 or Ed25519.',
      ])
      // The refused request has used up nothing, so the token and the nonce still work.
      expect((await issuer.take(token, MDOC)).status).toBe(200)
    }
  })

  it('attack: only the values of the claims link the copies of a batch', async () => {
    const wallets = await Promise.all([1, 2, 3].map(() => newWallet()))
    const copies = await taken(...wallets)
    const randoms = copies.flatMap(randomsOf)
    expect(randoms).toHaveLength(3 * 8)
    expect(new Set(randoms).size).toBe(randoms.length)
    const entries = copies.map((copy) => readMdoc(copy).status?.idx)
    expect(new Set(entries).size).toBe(3)
    const orders = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const [copy = ''] = await taken(await newWallet())
        return Object.keys(readMdoc(copy).claims[NAMESPACE] ?? {}).join()
      }),
    )
    expect(new Set(orders).size).toBeGreaterThan(1)
  })
})

describe('POST /credentials/sign with format mso_mdoc', () => {
  it('signs for a holder, and records the credential like any other', async () => {
    const wallet = await newWallet()
    const signed = await sign({ holder: wallet.did })
    expect(signed.status, signed.text).toBe(201)
    expect(readMdoc(signed.json.credential)).toMatchObject({ claims: ELEMENTS, deviceKey: wallet.publicJwk })
    const { json } = await issuer.service.request('GET', `/api/v1/credentials/${signed.json.id}`, {
      authorization: await issuer.authorization(),
    })
    expect(json.vc).toMatchObject({ type: ['VerifiableCredential', LICENCE], credentialSubject: CLAIMS })
    expect(json.vc.proof).toBeUndefined()
  })

  it('refuses members that it cannot sign, and names them', async () => {
    const { did } = await newWallet()
    const rsa = await newWallet('PS256')
    const messages = await Promise.all(
      [
        {},
        { holder: rsa.did },
        { holder: did, type: 'ProofOfPurchase', credential_subject: { product: 'x' } },
        { holder: did, credential_subject: { ...CLAIMS, portrait: '###' } },
        { holder: did, credential_subject: {} },
      ].map(async (body) => {
        const answer = await sign(body)
        expect(answer.status, answer.text).toBe(400)
        return String(answer.json.message)
      }),
    )
    expect(messages).toEqual([
      'holder must be given with format mso_mdoc',
      expect.stringContaining('holder cannot have it: Holder key cannot stand in an mdoc'),
      'format mso_mdoc needs a schema with mdoc',
      expect.stringContaining('Claim portrait cannot stand in an mdoc: it is not base64'),
      expect.stringContaining('The subject has no claim that stands in the mdoc'),
    ])
  })
})

describe('an installation without ISSUER_X509', () => {
  let plain: Issuer
  beforeAll(async () => {
    plain = await startIssuer()
    expect((await postSchema(plain, licenceSchema())).status).toBe(201)
  })
  afterAll(() => plain.service.close())

  it('has no configuration of mobile documents, and offers the others', async () => {
    const { json } = await plain.service.request('GET', '/.well-known/openid-credential-issuer')
    expect(Object.keys(json.credential_configurations_supported)).not.toContain(MDOC)
    const { credential_configuration_ids } = await plain.makeOffering({
      credential_type: LICENCE,
      credential_subject: CLAIMS,
    })
    expect(credential_configuration_ids).toEqual(ALL.slice(0, 2))
  })

  it('refuses an offer that names a mobile document, and signs none', async () => {
    const authorization = await plain.authorization()
    const offered = await plain.service.request('POST', '/credential-offers', {
      authorization,
      body: { credentialConfigurationIds: ALL, credentialSubject: CLAIMS },
    })
    const signed = await plain.service.request('POST', '/credentials/sign', {
      authorization,
      body: { type: LICENCE, credential_subject: CLAIMS, format: 'mso_mdoc', holder: (await newWallet()).did },
    })
    expect([offered.status, signed.status]).toEqual([400, 400])
    const needed = 'needs an issuer with a certificate (for the default issuer: ISSUER_X509)'
    expect([offered, signed].flatMap(({ json }) => json.message)).toEqual([
      `credentialConfigurationIds names ${MDOC}, which ${needed}`,
      `format mso_mdoc ${needed}`,
    ])
  })
})

it('under HAIP 1.0 (§4, §6) a wallet asks for it by its scope, and gets it by an authorization code', async () => {
  const haip = await startHaip()
  try {
    expect((await postSchema(haip.issuer, licenceSchema())).status).toBe(201)
    const made = await offerOf(haip.issuer, { credentialConfigurationIds: ALL.slice(1) })
    const { issuer_state } = made.credentialOffer.grants.authorization_code
    const tokens = await haip.wallet.redeem(await haip.wallet.code({ issuer_state, scope: ALL.slice(1).join(' ') }))
    expect(tokens.json.scope).toBe(ALL.slice(1).join(' '))
    const holder = await newWallet()
    for (const configuration of ALL.slice(1)) {
      const proof = await holder.proof(haip.issuer.service.config.issuerBaseUrl, await haip.issuer.nonce())
      const answer = await haip.wallet.request(tokens.json.access_token, { jwt: [proof] }, configuration)
      const credential = credentialOf(answer)
      if (configuration === MDOC) expect(readMdoc(credential).claims).toEqual(ELEMENTS)
    }
  } finally {
    await haip.close()
  }
})

describe('dates and bytes that a schema declares by a combination (ISO/IEC 18013-5 §7.2.1)', () => {
  const FULL_DATE = Buffer.from('d903ec6a', 'hex')
  const date = { type: 'string', format: 'date' }
  it.each<readonly [string, object]>([
    ['anyOf', { properties: { d: { anyOf: [date, { type: 'null' }] } } }],
    ['oneOf', { oneOf: [{ properties: { d: date } }, { properties: { d: { type: 'integer' } } }] }],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    ['then', { if: { required: ['d'] }, then: { properties: { d: date } } }],
    ['additionalProperties', { additionalProperties: date }],
    ['patternProperties', { patternProperties: { '^d$': date } }],
    ['$ref and allOf', { allOf: [{ $ref: '#/definitions/d' }], definitions: { d: { properties: { d: date } } } }],
  ])('%s', async (by, schema) => {
    const name = `By${by.replaceAll(/\W/g, '')}`
    const mdoc = { doctype: DOCTYPE, namespaces: { [NAMESPACE]: { birth_date: '/d' } } }
    expect((await postSchema(issuer, { name, version: 1, schema, mdoc })).status).toBe(201)
    const answer = await sign({ type: name, credential_subject: { d: '1990-12-24' }, holder: (await newWallet()).did })
    expect(answer.status, answer.text).toBe(201)
    const bytes = Buffer.from(answer.json.credential, 'base64url')
    expect(bytes.includes(Buffer.concat([FULL_DATE, Buffer.from('1990-12-24')]))).toBe(true)
  })
})
