import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failedChecks } from '../../protocol/mdoc/auth0.js'
import { owf } from '../../protocol/mdoc/owf.js'
import { at, decodedMap, listAt, mapAt } from '../../protocol/mdoc/tampering.js'
import { DIPLOMA_DOCTYPE, DIPLOMA_MDOC, DIPLOMA_SD_JWT, startRemoteIssuer } from '../../support/remote-issuer.js'
import { type RemoteRequestOptions, type RemoteVerifier, startRemoteVerifier } from '../../support/remote-verifier.js'
import { type HostedWallet, newWallet } from '../../support/wallet.js'
import { type Asked, ask, type ResponseMode, sessionOf } from '../../verifier/actors.js'
import { DOCTYPE, LICENCE, licenceFor, MDOC, type MdocWorld, MORE, makeMdocWorld, NAMESPACE } from '../mdoc-world.js'

const MODES: ResponseMode[] = ['direct_post', 'direct_post.jwt']

let world: MdocWorld
let verifier: RemoteVerifier
let wallet: HostedWallet

beforeAll(async () => {
  world = await makeMdocWorld()
  verifier = await startRemoteVerifier()
  wallet = await world.holding({})
})
afterAll(async () => {
  await verifier.close()
  await world.close()
})

/** A credential query for a name and a date of birth. */
const licence = (members: Readonly<Record<string, unknown>> = {}) => ({
  id: 'licence',
  format: 'mso_mdoc',
  meta: { doctype_value: DOCTYPE },
  claims: [{ path: [NAMESPACE, 'family_name'] }, { path: [NAMESPACE, 'birth_date'], intent_to_retain: false }],
  ...members,
})

const NAME_AND_BIRTH = { [NAMESPACE]: { family_name: 'Möbius', birth_date: '1990-12-24' } }

const resultOf = async ({ verificationSessionId: id }: Pick<Asked, 'verificationSessionId'>) =>
  (
    await world.b.request('GET', `/verification-sessions/${id}/result`, {
      authorization: await world.b.bearer('verifier'),
    })
  ).json

/** Lets the wallet answer the verifier of the other installation. Returns the credentials in the result. */
async function shown(body: Readonly<Record<string, unknown>>, holder = wallet) {
  const asked = await ask(world.b, body)
  const answer = await holder.process(asked.authorizationRequestUri)
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('authorization_request')])
  expect(await sessionOf(world.b, asked)).toMatchObject({ state: 'ResponseVerified' })
  return (await resultOf(asked)).credentials
}

describe('a hosted wallet presents mobile documents (OpenID4VP 1.0 Appendix B.2)', () => {
  it.each(MODES)('to another installation by %s, with only the requested elements', async (responseMode) => {
    expect(await shown({ dcqlQuery: { credentials: [licence()] }, responseMode })).toMatchObject([
      {
        credentialQueryId: 'licence',
        format: 'mso_mdoc',
        type: [DOCTYPE],
        issuer: 'https://127.0.0.1',
        claims: NAME_AND_BIRTH,
        intentToRetain: { [NAMESPACE]: { birth_date: false } },
      },
    ])
  })

  it.each(MODES)('together with an SD-JWT VC in one answer by %s', async (responseMode) => {
    const vct = `${world.b.url}/vct/${LICENCE}`
    const card = { id: 'card', format: 'dc+sd-jwt', meta: { vct_values: [vct] }, claims: [{ path: ['height'] }] }
    const credentials = await shown({ dcqlQuery: { credentials: [licence(), card] }, responseMode })
    expect(credentials).toMatchObject([
      { credentialQueryId: 'licence', format: 'mso_mdoc', claims: NAME_AND_BIRTH },
      { credentialQueryId: 'card', format: 'dc+sd-jwt', claims: { height: 171.5 } },
    ])
  })

  it('by a stored VP query with $.doctype', async () => {
    const stored = await world.b.request('POST', '/api/v1/verifier/vp-queries', {
      client: true,
      body: {
        query: [
          {
            fields: [
              { path: ['$.doctype'], filter: { type: 'string', const: DOCTYPE } },
              { path: [`$['${NAMESPACE}']['family_name']`] },
            ],
          },
        ],
      },
    })
    const path = `/api/v1/verifier/vp-queries/${stored.json.id}/authorization-request`
    const body = { redirect_uri: 'https://shop.example/done' }
    const asked = await world.b.request('POST', path, { client: true, body })
    const { authorizationRequestUri } = await sessionOf(world.b, asked.json)
    expect((await wallet.process(authorizationRequestUri)).status).toBe(200)
    expect(await sessionOf(world.b, asked.json)).toMatchObject({ state: 'ResponseVerified' })
    const [{ credentials }] = (await wallet.get('/presentations')).json
    expect(credentials).toMatchObject([{ queryId: expect.stringContaining('mdoc') }])
  })

  it('by the certificate of its issuer, if the verifier names authorities (§6.1.1.1)', async () => {
    const authority = Buffer.from('0a0a0a0a', 'hex').toString('base64url')
    const taken = licence({ trusted_authorities: [{ type: 'aki', values: ['AAAA', authority] }] })
    expect(await shown({ dcqlQuery: { credentials: [taken] } })).toMatchObject([{ claims: NAME_AND_BIRTH }])
    const refused = licence({ trusted_authorities: [{ type: 'aki', values: ['AAAA'] }] })
    const asked = await ask(world.b, { dcqlQuery: { credentials: [refused] } })
    expect((await wallet.process(asked.authorizationRequestUri)).json.message).toBe(NO_MATCH)
  })

  it('with another copy for each verifier', async () => {
    const holder = await world.holding({ credentialConfigurationIds: [MDOC] }, { copies: 2 })
    const keys: unknown[] = []
    for (let count = 0; count < 2; count += 1) {
      const { response } = await presentedTo({}, [licence()], holder)
      keys.push(Buffer.from(response, 'base64url').toString('hex').slice(0, 2000))
    }
    expect(new Set(keys).size).toBe(2)
  })

  it('in a flow, which shows its elements first', async () => {
    const asked = await ask(world.b, { dcqlQuery: { credentials: [licence()] } })
    const { authorization, did } = wallet
    const body = { qrContent: asked.authorizationRequestUri, did }
    const started = await world.a.request('POST', '/flows', { authorization, body })
    const { processId, matchingCredentials } = started.json.data
    expect(matchingCredentials).toMatchObject([
      { format: 'mso_mdoc', type: [DOCTYPE], credentialSubject: { [MORE]: { organ_donor: true } } },
    ])
    const confirmed = await world.a.request('POST', `/flows/${processId}/confirm`, {
      authorization,
      body: { type: 'presentation', selectedCredential: { id: matchingCredentials[0].id } },
    })
    expect(confirmed.status, confirmed.text).toBe(200)
    expect(await sessionOf(world.b, asked)).toMatchObject({ state: 'ResponseVerified' })
  })
})

const NO_MATCH = 'Could not find the required credentials for the presentation submission'

/** Returns the response that an independent verifier receives, and the document in it. */
async function presentedTo(options: RemoteRequestOptions, credentials: readonly object[], holder = wallet) {
  const before = verifier.responses.length
  const answer = await holder.process(await verifier.request({ credentials }, options))
  expect(answer.status, answer.text).toBe(200)
  const received = verifier.responses[before]
  const response = String(received?.presentations.licence?.[0])
  return { ...received, response, document: decodedMap(Buffer.from(response, 'base64url')) }
}

describe('independent verifiers', () => {
  it.each([
    { mode: 'direct_post' },
    { mode: 'direct_post.jwt' },
    { mode: 'direct_post.jwt', prefix: 'redirect_uri' },
    { mode: 'direct_post', prefix: 'redirect_uri' },
  ] as const)('@owf/mdoc and @auth0/mdl verify a presentation by $mode $prefix', async (options) => {
    const { response, clientId, responseUri, nonce, encryptionKey, encrypted } = await presentedTo(options, [licence()])
    expect(encrypted).toBe(options.mode === 'direct_post.jwt')
    // The members of a request have no types in this test, so the JWK is read without a type.
    const request = {
      clientId: String(clientId),
      responseUri: String(responseUri),
      nonce: String(nonce),
      encryptionKey: encryptionKey as never,
    }
    const verify = { deviceResponse: response, root: world.root.certificate.raw, now: new Date() }
    const { transcript } = await owf(request, { verify })
    expect(await failedChecks(response, transcript, world.root)).toEqual([])
    // The device has signed each of these values.
    for (const change of [
      { clientId: 'x509_san_dns:other' },
      { responseUri: 'https://other.example' },
      { nonce: 'another' },
      { encryptionKey: encrypted ? undefined : (world.issuer.signer.publicJwk as never) },
    ]) {
      await expect(owf({ ...request, ...change }, { verify })).rejects.toThrow(/signature/i)
    }
  })

  it('learn from wallet_metadata that it supports mobile documents, and with which algorithms (§5.10, Appendix B.2.2)', async () => {
    await presentedTo({ method: 'post' }, [licence()])
    const posted = verifier.seen.findLast(({ path, method }) => path === '/request' && method === 'POST')
    const metadata = JSON.parse(new URLSearchParams(posted?.text).get('wallet_metadata') ?? '{}')
    expect(metadata.vp_formats_supported.mso_mdoc).toEqual({
      issuerauth_alg_values: expect.arrayContaining([-7, -9]),
      deviceauth_alg_values: expect.arrayContaining([-7, -9]),
    })
  })

  it('get one document with only the requested elements (HAIP 1.0 §5.3.1)', async () => {
    const { document } = await presentedTo({}, [licence()])
    expect(listAt(document, 'documents')).toHaveLength(1)
    expect([...mapAt(document, 'documents', 0, 'issuerSigned', 'nameSpaces').keys()]).toEqual([NAMESPACE])
    expect(listAt(document, 'documents', 0, 'issuerSigned', 'nameSpaces', NAMESPACE)).toHaveLength(2)
  })

  it('get no element if they ask for none (OpenID4VP 1.0 §6.4.1)', async () => {
    const { document } = await presentedTo({}, [licence({ claims: undefined })])
    expect(mapAt(document, 'documents', 0, 'issuerSigned').has('nameSpaces')).toBe(false)
  })

  it('get the first of several sets of elements that the document has', async () => {
    const claims = [
      { id: 'a', path: [NAMESPACE, 'no_such_element'] },
      { id: 'b', path: [MORE, 'organ_donor'], values: [true] },
    ]
    const { document } = await presentedTo({}, [licence({ claims, claim_sets: [['a'], ['b']] })])
    expect([...mapAt(document, 'documents', 0, 'issuerSigned', 'nameSpaces').keys()]).toEqual([MORE])
  })

  it("get the device's signature even if they demand no proof of the holder", async () => {
    const { response, clientId, responseUri, nonce } = await presentedTo({}, [
      licence({ require_cryptographic_holder_binding: false }),
    ])
    const request = { clientId: String(clientId), responseUri: String(responseUri), nonce: String(nonce) }
    const verify = { deviceResponse: response, root: world.root.certificate.raw, now: new Date() }
    await expect(owf(request, { verify })).resolves.toBeDefined()
  })
})

describe('documents that a hosted wallet does not present', () => {
  const refusalOf = async (members: Readonly<Record<string, unknown>>, options: RemoteRequestOptions = {}) => {
    const before = verifier.responses.length
    const answer = await wallet.process(await verifier.request({ credentials: [licence(members)] }, options))
    expect([answer.status, verifier.responses.length]).toEqual([500, before])
    return answer.json.message
  }

  it.each([
    ['another docType', { meta: { doctype_value: 'org.example.other' } }],
    ['an element that the document does not have', { claims: [{ path: [NAMESPACE, 'no_such_element'] }] }],
    ['an element of another namespace', { claims: [{ path: [MORE, 'family_name'] }] }],
    ['another value', { claims: [{ path: [NAMESPACE, 'family_name'], values: ['Noether'] }] }],
    ['attack: names that every object has', { claims: [{ path: [NAMESPACE, 'toString'] }] }],
  ])('%s: the same sentence as for other formats', async (_, members) =>
    expect(await refusalOf(members)).toBe(NO_MATCH),
  )

  it.each([
    ['a path of one name', { claims: [{ path: ['family_name'] }] }],
    ['a path of three names', { claims: [{ path: [NAMESPACE, 'driving_privileges', 'code'] }] }],
    ['a path with an index', { claims: [{ path: [NAMESPACE, 'driving_privileges', 0] }] }],
    ['as drafts named elements', { claims: [{ namespace: NAMESPACE, claim_name: 'family_name' }] }],
  ])('%s leads to no element (OpenID4VP 1.0 §7.2)', async (_, members) =>
    expect(await refusalOf(members)).toBe('The DCQL query is not valid.'),
  )

  it('attack: a namespace with the name of a member of every object is not a namespace of a document', async () =>
    expect(await refusalOf({ claims: [{ path: ['__proto__', 'toString'] }] })).toBe('The DCQL query is not valid.'))

  it('attack: a path beside the names of a draft discloses its own element, not the element of these names', async () => {
    const claims = [{ namespace: NAMESPACE, claim_name: 'portrait', path: [NAMESPACE, 'family_name'] }]
    const { document } = await presentedTo({}, [licence({ claims })])
    const [item] = listAt(document, 'documents', 0, 'issuerSigned', 'nameSpaces', NAMESPACE)
    expect(at(item, 'elementIdentifier')).toBe('family_name')
  })

  it('under a draft, because its transcript is different', async () => {
    const draft = { payload: { client_id: verifier.key.did }, clientId: verifier.key.did }
    expect(await refusalOf({}, draft)).toBe('The DCQL query asks for credentials of no supported format.')
  })

  it('with transaction data, because an mdoc cannot contain their authorization', async () => {
    const entry = Buffer.from(JSON.stringify({ type: 'payment', credential_ids: ['licence'] })).toString('base64url')
    const { authorization, did } = wallet
    const qrContent = await verifier.request({ credentials: [licence()] }, { payload: { transaction_data: [entry] } })
    const started = await world.a.request('POST', '/flows', { authorization, body: { qrContent, did } })
    expect([started.status, started.json.message]).toEqual([
      500,
      'Transaction data 1 name a credential that cannot authorize them.',
    ])
  })

  it('but a revoked document is presented like other formats, and its verifier refuses it', async () => {
    const holder = await world.holding()
    await world.revoke(holder)
    const asked = await ask(world.b, { dcqlQuery: { credentials: [licence()] } })
    const answer = await holder.process(asked.authorizationRequestUri)
    expect([answer.status, answer.json.message]).toEqual([500, expect.stringContaining('revoked')])
    expect((await holder.get('/presentations')).json[0]).toMatchObject({ state: 'failed' })
  })

  it('but an expired document is presented like other formats, and its verifier refuses it', async () => {
    let expiresAt = new Date()
    const forge = (_: unknown, { publicJwk }: { publicJwk: object }) => {
      expiresAt = new Date(Date.now() + 6_000)
      return licenceFor(world.issuer, publicJwk, { expiresAt, doctype: DIPLOMA_DOCTYPE })
    }
    await using remote = await startRemoteIssuer({ forge })
    const holder = await newWallet(world.a)
    expect((await holder.process(await remote.offer([DIPLOMA_MDOC]))).status).toBe(200)
    await new Promise((resolve) => setTimeout(resolve, expiresAt.getTime() - Date.now()))
    const query = licence({ meta: { doctype_value: DIPLOMA_DOCTYPE } })
    const asked = await ask(world.b, { dcqlQuery: { credentials: [query] } })
    const answer = await holder.process(asked.authorizationRequestUri)
    expect([answer.status, answer.json.message]).toEqual([500, expect.stringContaining('expired')])
    expect(await sessionOf(world.b, asked)).toMatchObject({ state: 'Error' })
  })

  it('if the wallet has only other formats', async () => {
    await using issuer = await startRemoteIssuer()
    const holder = await newWallet(world.a)
    expect((await holder.process(await issuer.offer([DIPLOMA_SD_JWT]))).status).toBe(200)
    const answer = await holder.process(await verifier.request({ credentials: [licence()] }))
    expect([answer.status, answer.json.message]).toEqual([500, NO_MATCH])
  })
})
