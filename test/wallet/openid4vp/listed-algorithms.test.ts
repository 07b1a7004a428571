import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DIPLOMA_SD_JWT } from '../../support/remote-issuer.js'
import { type RemoteVerifier, startRemoteVerifier } from '../../support/remote-verifier.js'
import { type HostedWallet, newWallet } from '../../support/wallet.js'
import { type DraftWorld, makeDraftWorld } from '../draft-world.js'
import { DOCTYPE, type MdocWorld, makeMdocWorld, NAMESPACE } from '../mdoc-world.js'

let world: DraftWorld
/** The installations for mobile documents. The credential and the holder's key use ES256. */
let licences: MdocWorld
let licenceHolder: HostedWallet
let licenceVerifier: RemoteVerifier

beforeAll(async () => {
  world = await makeDraftWorld()
  licences = await makeMdocWorld()
  licenceHolder = await licences.holding()
  licenceVerifier = await startRemoteVerifier()
})
afterAll(async () => {
  await world.close()
  await licenceVerifier.close()
  await licences.close()
})

type JsonObject = Readonly<Record<string, unknown>>

const UNTAKEN = 'The verifier accepts none of the algorithms of the matching credentials.'
const NOT_SUPPORTED = 'vp_formats_not_supported'

const diploma = (members: JsonObject = {}) => ({
  id: 'sd',
  format: 'dc+sd-jwt',
  meta: { vct_values: [world.vct] },
  ...members,
})
const jwtDiploma = (members: JsonObject = {}) => ({
  id: 'jwt',
  format: 'jwt_vc_json',
  meta: { type_values: [['Diploma']] },
  ...members,
})

/** The presentations or errors for a verifier that lists these formats. */
async function outcome(
  formats: unknown,
  query: unknown,
  { verifier = world.verifier, wallet = world.wallet }: { verifier?: RemoteVerifier; wallet?: HostedWallet } = {},
) {
  const [responses, refusals] = [verifier.responses.length, verifier.refusals.length]
  const payload = { client_metadata: { vp_formats_supported: formats } }
  const answer = await wallet.process(await verifier.request(query, { payload }))
  return {
    status: answer.status,
    message: answer.json.message,
    presented: verifier.responses.slice(responses).map(({ presentations }) => Object.keys(presentations)),
    told: verifier.refusals.slice(refusals).map(({ error }) => error),
  }
}

const shown = (...ids: readonly string[]) => ({ status: 200, message: undefined, presented: [ids], told: [] })
const REFUSED = { status: 500, message: UNTAKEN, presented: [], told: [NOT_SUPPORTED] }

describe('an SD-JWT VC is presented to a verifier that lists (OpenID4VP 1.0 Appendix B.3.4)', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['no algorithms', { 'dc+sd-jwt': {} }],
    ['algorithms of another format only', { jwt_vc_json: { alg_values: ['EdDSA'] } }],
    [
      'its algorithms among others',
      { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES384', 'ES256'], 'kb-jwt_alg_values': ['Ed25519', 'ES256'] } },
    ],
    ['those of issuers alone', { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'] } }],
    ['those of holders alone', { 'dc+sd-jwt': { 'kb-jwt_alg_values': ['ES256'] } }],
    ['null instead of lists', { 'dc+sd-jwt': { 'sd-jwt_alg_values': null, 'kb-jwt_alg_values': null } }],
    ['the former name of the format in addition', { 'dc+sd-jwt': {}, 'vc+sd-jwt': { 'sd-jwt_alg_values': ['ES384'] } }],
  ])('%s', async (_what, formats) => {
    expect(await outcome(formats, { credentials: [diploma()] })).toEqual(shown('sd'))
  })

  it.each<[string, JsonObject]>([
    ['another algorithm of issuers', { 'sd-jwt_alg_values': ['ES384'] }],
    ['several others of issuers', { 'sd-jwt_alg_values': ['EdDSA', 'Ed25519', 'ES384', 'ES512'] }],
    ['another algorithm of holders', { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['EdDSA'] }],
    ['the name in another case', { 'sd-jwt_alg_values': ['es256'] }],
    ['an empty list', { 'sd-jwt_alg_values': [] }],
    ['a value that is not a list', { 'kb-jwt_alg_values': 'ES256' }],
  ])('not if that is %s; the verifier receives the error (§8.5)', async (_what, listed) => {
    expect(await outcome({ 'dc+sd-jwt': listed }, { credentials: [diploma()] })).toEqual(REFUSED)
  })

  it('without a Key Binding JWT, with any listed algorithm for it', async () => {
    const query = { credentials: [diploma({ require_cryptographic_holder_binding: false })] }
    expect(await outcome({ 'dc+sd-jwt': { 'kb-jwt_alg_values': ['EdDSA'] } }, query)).toEqual(shown('sd'))
  })
})

describe('a JWT VC is presented to a verifier that lists (OpenID4VP 1.0 Appendix B.1.3.1.3)', () => {
  it.each([[['ES256']], [['EdDSA', 'ES256']], [undefined]])('%j', async (algorithms) => {
    const formats = { jwt_vc_json: { alg_values: algorithms } }
    expect(await outcome(formats, { credentials: [jwtDiploma()] })).toEqual(shown('jwt'))
  })

  it.each([[['ES384']], [['EdDSA', 'ES256K']], [[]], [['ES256 ']]])('not if the list is %j', async (algorithms) => {
    const formats = { jwt_vc_json: { alg_values: algorithms } }
    expect(await outcome(formats, { credentials: [jwtDiploma()] })).toEqual(REFUSED)
  })
})

describe('a mobile document is presented to a verifier that lists (OpenID4VP 1.0 Appendix B.2.2)', () => {
  const licence = {
    credentials: [
      {
        id: 'licence',
        format: 'mso_mdoc',
        meta: { doctype_value: DOCTYPE },
        claims: [{ path: [NAMESPACE, 'family_name'] }],
      },
    ],
  }
  const listing = (listed: JsonObject) =>
    outcome({ mso_mdoc: listed }, licence, { verifier: licenceVerifier, wallet: licenceHolder })

  it.each<[JsonObject]>([
    [{}],
    [{ issuerauth_alg_values: [-7], deviceauth_alg_values: [-7] }],
    [{ issuerauth_alg_values: [-9], deviceauth_alg_values: [-9] }],
    [{ issuerauth_alg_values: [-35, -7] }],
    [{ deviceauth_alg_values: [-65537, -9] }],
  ])('%j', async (listed) => {
    expect(await listing(listed)).toEqual(shown('licence'))
  })

  it.each<[JsonObject]>([
    [{ issuerauth_alg_values: [-35] }],
    [{ issuerauth_alg_values: [-8, -19, -51] }],
    [{ deviceauth_alg_values: [-65537] }],
    [{ issuerauth_alg_values: [-7], deviceauth_alg_values: [-19] }],
    [{ issuerauth_alg_values: ['ES256'] }],
    [{ issuerauth_alg_values: [] }],
  ])('not if that is %j', async (listed) => {
    expect(await listing(listed)).toEqual(REFUSED)
  })
})

describe('of several credentials', () => {
  it('the credential with a listed algorithm is presented', async () => {
    const query = {
      credentials: [diploma(), jwtDiploma()],
      credential_sets: [{ options: [['sd'], ['jwt']] }],
    }
    const formats = { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES384'] }, jwt_vc_json: { alg_values: ['ES256'] } }
    expect(await outcome(formats, query)).toEqual(shown('jwt'))
  })

  it('an optional credential is omitted', async () => {
    const query = {
      credentials: [diploma(), jwtDiploma()],
      credential_sets: [{ options: [['sd']] }, { options: [['jwt']], required: false }],
    }
    expect(await outcome({ jwt_vc_json: { alg_values: ['ES384'] } }, query)).toEqual(shown('sd'))
  })

  it('a required credential without a listed algorithm prevents the whole answer', async () => {
    const query = { credentials: [diploma(), jwtDiploma()] }
    expect(await outcome({ jwt_vc_json: { alg_values: ['ES384'] } }, query)).toEqual(REFUSED)
  })
})

it('a missing credential is never reported, with any list (§15)', async () => {
  const query = { credentials: [diploma({ meta: { vct_values: ['https://other.example/vct'] } })] }
  const answered = await outcome({ 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES384'] } }, query)
  expect(answered).toMatchObject({ status: 500, presented: [], told: [] })
  expect(answered.message).not.toBe(UNTAKEN)
})

it('a flow does not start, and offers no such credential', async () => {
  const { authorization, did, process } = await newWallet(world.service)
  expect((await process(await world.issuer.offer([DIPLOMA_SD_JWT]))).status).toBe(200)
  const start = async (algorithms: readonly string[]) => {
    const payload = { client_metadata: { vp_formats_supported: { 'dc+sd-jwt': { 'kb-jwt_alg_values': algorithms } } } }
    const qrContent = await world.verifier.request({ credentials: [diploma()] }, { payload })
    return world.service.request('POST', '/flows', { authorization, body: { qrContent, did } })
  }
  const refused = await start(['EdDSA'])
  expect([refused.status, refused.json.message]).toEqual([500, UNTAKEN])
  const started = await start(['ES256'])
  expect([started.status, started.json.data.matchingCredentials.length]).toEqual([201, 1])
})

describe('verifiers of drafts, which list algorithms under other names', () => {
  /** A request of draft 21: a definition for one format, and `vp_formats`. */
  const byExchange = async (format: JsonObject | undefined, formats: JsonObject) => {
    const definition = {
      id: 'definition',
      input_descriptors: [
        {
          id: 'diploma',
          ...(format === undefined ? {} : { format }),
          constraints: { fields: [{ path: ['$.degree', '$.vc.credentialSubject.degree'] }] },
        },
      ],
    }
    const refusals = world.verifier.refusals.length
    const answer = await world.answered(definition, { payload: { client_metadata: { vp_formats: formats } } })
    return [answer.status, ...world.verifier.refusals.slice(refusals).map(({ error }) => error)]
  }

  it.each<[string, JsonObject]>([
    ['vc+sd-jwt', { 'vc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] } }],
    ['jwt_vc_json and jwt_vp_json', { jwt_vc_json: { alg: ['ES256'] }, jwt_vp_json: { alg: ['ES256'] } }],
    ['jwt_vc and jwt_vp', { jwt_vc: { alg: ['ES256'] }, jwt_vp: { alg: ['ES256'] } }],
  ])('are answered according to their list in %s', async (_name, formats) => {
    expect(await byExchange(undefined, formats)).toEqual([200])
  })

  it.each<[string, JsonObject]>([
    ['vc+sd-jwt', { 'vc+sd-jwt': { 'sd-jwt_alg_values': ['ES384'] } }],
    ['vc+sd-jwt for holders', { 'vc+sd-jwt': { 'kb-jwt_alg_values': ['EdDSA'] } }],
    ['jwt_vc_json', { jwt_vc_json: { alg: ['ES384'] }, jwt_vp_json: { alg: ['ES256'] } }],
    ['jwt_vp_json', { jwt_vc_json: { alg: ['ES256'] }, jwt_vp_json: { alg: ['EdDSA'] } }],
    ['jwt_vp', { jwt_vp: { alg: ['ES256K'] } }],
  ])('are not answered if another algorithm is in %s', async (_name, formats) => {
    expect(await byExchange(undefined, formats)).toEqual([500, NOT_SUPPORTED])
  })

  it.each<[JsonObject]>([[{ jwt_vp_json: { alg: ['EdDSA'] } }], [{ 'vc+sd-jwt': { 'sd-jwt_alg_values': ['ES384'] } }]])(
    'nor if the definition lists it: %j',
    async (format) => {
      const all = { 'vc+sd-jwt': {}, jwt_vc_json: {}, jwt_vp_json: {} }
      expect(await byExchange(format, all)).toEqual([500, NOT_SUPPORTED])
    },
  )

  it('by a DCQL query of draft 24 too', async () => {
    const asked = (algorithms: readonly string[]) =>
      world.verifier.request(
        { credentials: [{ id: 'sd', format: 'dc+sd-jwt', meta: { vct_values: [world.vct] } }] },
        {
          clientId: world.verifier.key.did,
          payload: {
            client_id: world.verifier.key.did,
            client_metadata: { vp_formats: { 'dc+sd-jwt': { 'sd-jwt_alg_values': algorithms } } },
          },
        },
      )
    expect((await world.wallet.process(await asked(['ES256']))).status).toBe(200)
    const refused = await world.wallet.process(await asked(['ES384']))
    expect([refused.status, refused.json.message]).toEqual([500, UNTAKEN])
  })
})
