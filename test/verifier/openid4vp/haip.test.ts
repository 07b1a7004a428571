import { createHash, generateKeyPairSync } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignatureAlgorithm } from '../../../server/protocol/jose/algorithms.js'
import { certificateFiles, intermediate, leafOf, root as verifierRoot } from '../../agent/certified.js'
import type { TestCertificate } from '../../protocol/issuer-keys/certificates.js'
import { startService, type TestService } from '../../support/service.js'
import { newWallet as newHostedWallet } from '../../support/wallet.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { answer, ask, fetchRequest, ITEM, issue, makeSchema, postForm, present, sessionOf, vct } from '../actors.js'
import { anchorFiles, certifiedStatusList, MEMBERSHIP, makeLeaf, makeRoot, membership } from '../certified.js'
import { ForeignIssuer } from '../foreign-issuer.js'
import { startWebServer, type WebServer } from '../web-server.js'

const RETURN = 'https://club.example/return'
const leaf = leafOf({ subject: 'Shop', dns: ['127.0.0.1'] })
const root = makeRoot()
const CLUB = { id: 'club', format: 'dc+sd-jwt', meta: { vct_values: [MEMBERSHIP] } }
const DCQL = { credentials: [CLUB] }

let files: Awaited<ReturnType<typeof certificateFiles>>
let anchors: Awaited<ReturnType<typeof anchorFiles>>
let web: WebServer
let service: TestService
let env: Record<string, string>
let wallet: WalletActor

beforeAll(async () => {
  files = await certificateFiles()
  anchors = await anchorFiles()
  web = await startWebServer()
  env = {
    VERIFIER_X509: await files.fileOf([leaf, intermediate, verifierRoot]),
    VERIFIER_TRUST_ANCHORS: await files.fileOf([verifierRoot]),
    TRUST_ANCHORS: await anchors.write('roots', root),
    OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
  }
  service = await startService({ env: { ...env, VERIFIER_PROFILE: 'haip' } })
  await makeSchema(service)
  wallet = await newWallet()
})
afterAll(async () => {
  await service.close()
  await web[Symbol.asyncDispose]()
  await anchors[Symbol.asyncDispose]()
  await files.remove()
})

const club = (options = {}): TestCertificate => makeLeaf(root, options)

const asked = (body: Record<string, unknown> = {}, by = service) =>
  ask(by, { dcqlQuery: DCQL, redirectUri: RETURN, ...body })

async function refused(body: Record<string, unknown>, by = service) {
  const reply = await by.request('POST', '/authorization-requests', {
    authorization: await by.bearer('verifier'),
    body: { dcqlQuery: DCQL, redirectUri: RETURN, profile: 'haip', ...body },
  })
  return [reply.status, reply.json.message]
}

interface Presenting {
  readonly body?: Record<string, unknown>
  readonly by?: TestService
  readonly holderProof?: boolean
  readonly holder?: WalletActor
}

/** Presents a credential. @returns undefined if it is accepted, otherwise the reason. */
async function refusalOf(
  credential: string,
  { body = {}, by = service, holderProof = true, holder = wallet }: Presenting = {},
) {
  const request = await asked(body, by)
  const payload = await fetchRequest(request)
  const held = { id: '', format: 'dc+sd-jwt', credential } as const
  const shown = holderProof ? await present(held, holder, payload, { disclose: [] }) : credential
  const reply = await answer(payload, { club: [shown] })
  const session = await sessionOf(by, request)
  expect(session.state).toBe(reply.status === 200 ? 'ResponseVerified' : 'Error')
  expect(reply.json.redirect_uri).toContain(`${RETURN}?response_code=`)
  return reply.json.error_description
}

const ofClub = (reason: string) => `Presentation for club: ${reason}`
const keyRefusal = ofClub('Issuer key cannot be resolved: The header has no x5c.')

describe('a request of profile haip (HAIP 1.0 §5, §5.1)', () => {
  it('is signed under the hash of the certificate, is sent by reference, and requires an encrypted answer', async () => {
    const request = await asked()
    const compact = await (await fetch(request.request_uri)).text()
    const payload = decodeJwt(compact)
    const hash = createHash('sha256').update(leaf.certificate.raw).digest('base64url')
    expect(decodeProtectedHeader(compact)).toEqual({
      typ: 'oauth-authz-req+jwt',
      alg: 'ES256',
      x5c: [leaf.x5c, intermediate.x5c],
    })
    expect(payload).toMatchObject({
      client_id: `x509_hash:${hash}`,
      response_type: 'vp_token',
      response_mode: 'direct_post.jwt',
      dcql_query: DCQL,
      client_metadata: {
        jwks: { keys: [{ kty: 'EC', crv: 'P-256', alg: 'ECDH-ES' }] },
        encrypted_response_enc_values_supported: ['A128GCM', 'A256GCM'],
      },
    })
  })

  it('names only dc+sd-jwt and mso_mdoc, and fully specified algorithms (OpenID4VP 1.0 Appendix B.3.4)', async () => {
    const formats = async (profile: string) => {
      const { client_metadata: metadata } = await fetchRequest(await asked({ profile }))
      return (metadata as { vp_formats_supported: Record<string, Record<string, string[]>> }).vp_formats_supported
    }
    const haip = await formats('haip')
    expect(Object.keys(haip)).toEqual(['dc+sd-jwt', 'mso_mdoc'])
    const final = await formats('final')
    expect(Object.keys(final)).toEqual(['dc+sd-jwt', 'jwt_vc_json', 'mso_mdoc'])
    for (const values of ['sd-jwt_alg_values', 'kb-jwt_alg_values']) {
      expect(haip['dc+sd-jwt']?.[values]).toEqual(expect.arrayContaining(['ES256', 'Ed25519']))
      expect(haip['dc+sd-jwt']?.[values]).not.toContain('EdDSA')
      expect(final['dc+sd-jwt']?.[values]).toEqual(expect.arrayContaining(['ES256', 'Ed25519', 'EdDSA']))
    }
  })

  it('has an address with haip-vp:// beside the address of the interface, or with the scheme of the request', async () => {
    const request = await asked()
    const parameters = request.authorizationRequestUri.replace(/^openid4vp:/, '')
    expect(request.walletUri).toBe(`haip-vp:${parameters}`)
    const { walletUri } = await asked({ walletUrl: 'https://wallet.example/open' })
    expect(walletUri).toMatch(/^https:\/\/wallet\.example\/open\?client_id=x509_hash%3A/)
  })

  it('is read by the hosted wallet under that scheme', async () => {
    const hosted = await newHostedWallet(service)
    const { walletUri = '' } = await asked()
    const reply = await hosted.process(walletUri)
    expect(reply.json.message).toBe('Could not find the required credentials for the presentation submission')
  })

  it('made from VP query items asks for dc+sd-jwt only', async () => {
    const formats = async (profile: string) => {
      const { dcql_query: query } = await fetchRequest(await asked({ profile, dcqlQuery: undefined, query: [ITEM] }))
      return query.credentials.map(({ format }) => format)
    }
    expect(await formats('haip')).toEqual(['dc+sd-jwt'])
    expect(await formats('final')).toEqual(['dc+sd-jwt', 'jwt_vc_json'])
  })

  it('can be made from a VP query; its result is read without the code, as the interface says', async () => {
    const call = (method: string, path: string, body?: unknown) =>
      service.request(method, path, { client: true, ...(body === undefined ? {} : { body }) })
    const path = '/api/v1/verifier/vp-queries'
    const query = [{ fields: [{ path: ['$.vct'], filter: { const: MEMBERSHIP } }] }]
    const { json: stored } = await call('POST', path, { query })
    const made = await call('POST', `${path}/${stored.id}/authorization-request`, { redirect_uri: RETURN })
    expect(made.json.walletUri).toMatch(/^haip-vp:/)
    const payload = await fetchRequest(made.json)
    expect(payload.response_mode).toBe('direct_post.jwt')
    const credential = await membership(club(), wallet)
    const shown = await present({ id: '', format: 'dc+sd-jwt', credential }, wallet, payload, { disclose: [] })
    const [{ id } = { id: '' }] = payload.dcql_query.credentials
    expect((await answer(payload, { [id]: [shown] })).status).toBe(200)
    const result = `/verification-sessions/${made.json.verificationSessionId}/result`
    expect((await call('GET', result)).status).toBe(200)
  })

  it.each([
    [{ redirectUri: undefined }, 'redirectUri must be given with profile haip'],
    [{ responseMode: 'direct_post' }, 'responseMode must be direct_post.jwt or dc_api.jwt with profile haip'],
    [{ clientIdPrefix: 'redirect_uri' }, 'clientIdPrefix must be x509_hash with profile haip'],
    [{ clientIdPrefix: 'x509_san_dns' }, 'clientIdPrefix must be x509_hash with profile haip'],
    [{ clientIdPrefix: 'decentralized_identifier' }, 'clientIdPrefix must be x509_hash with profile haip'],
    [
      { dcqlQuery: { credentials: [CLUB, { id: 'b', format: 'jwt_vc_json', meta: { type_values: [['Club']] } }] } },
      'dcqlQuery.credentials.1.format must be dc+sd-jwt or mso_mdoc with profile haip',
    ],
  ])('is refused if it cannot follow HAIP: %j', async (body, message) => {
    expect(await refused(body)).toEqual([400, [message]])
    // The same applies if the installation's profile is haip and the request names none.
    expect(await refused({ ...body, profile: undefined })).toEqual([400, [message]])
  })

  it('needs a verifier with a certificate for a P-256 key, and TRUST_ANCHORS', async () => {
    const authorization = await service.bearer('verifier', { roles: ['admin'] })
    const { json } = await service.request('POST', '/agent/verifier', { authorization, body: { method: 'web' } })
    const uncertified = 'the verifier must have a certificate for a P-256 key with profile haip'
    expect(await refused({ verifierId: json.id })).toEqual([400, [uncertified]])
    await using bare = await startService({ env: { VERIFIER_X509: env.VERIFIER_X509 ?? '' } })
    expect(await refused({}, bare)).toEqual([400, ['TRUST_ANCHORS or TRUST_LISTS must be set with profile haip']])
    await using without = await startService({ env: { TRUST_ANCHORS: env.TRUST_ANCHORS ?? '' } })
    expect(await refused({}, without)).toEqual([400, [uncertified]])
    // HAIP 1.0 §7: wallets must support only ES256.
    const keyPair = generateKeyPairSync('ec', { namedCurve: 'P-384' })
    const stronger = await files.fileOf([leafOf({ subject: 'Shop', keyPair }), intermediate])
    await using other = await startService({ env: { ...env, VERIFIER_X509: stronger } })
    expect(await refused({}, other)).toEqual([400, [uncertified]])
  })

  it('may be made by an installation of plain OpenID4VP 1.0, and vice versa', async () => {
    await using other = await startService({ env })
    expect(await fetchRequest(await asked({ profile: 'haip' }, other))).toMatchObject({
      response_mode: 'direct_post.jwt',
    })
    expect(await refused({ responseMode: 'direct_post' }, other)).toEqual([
      400,
      ['responseMode must be direct_post.jwt or dc_api.jwt with profile haip'],
    ])
    const final = await asked({ profile: 'final', responseMode: 'direct_post' })
    expect(await fetchRequest(final)).toMatchObject({ response_mode: 'direct_post' })
    expect(final).not.toHaveProperty('walletUri')
  })
})

describe('the result of a request of profile haip (HAIP 1.0 §5.1, OpenID4VP 1.0 §14.2)', () => {
  async function results(body: Record<string, unknown>) {
    const request = await asked(body)
    const payload = await fetchRequest(request)
    const credential = await membership(club(), wallet)
    const shown = await present({ id: '', format: 'dc+sd-jwt', credential }, wallet, payload, { disclose: [] })
    const { json } = await answer(payload, { club: [shown] })
    const code = new URL(json.redirect_uri).searchParams.get('response_code')
    const authorization = await service.bearer('verifier')
    const path = `/verification-sessions/${request.verificationSessionId}/result`
    const without = await service.request('GET', path, { authorization })
    const withCode = await service.request('GET', `${path}?response_code=${code}`, { authorization })
    return [without.status, withCode.status]
  }

  it('attack: session fixation: only the browser that returns from the wallet gets the result', async () => {
    expect(await results({})).toEqual([403, 200])
  })

  it('is for the backend without a code if the request says so, or has another profile', async () => {
    expect(await results({ requireResponseCode: false })).toEqual([200, 200])
    expect(await results({ profile: 'final', trustedIssuers: ['x5c'] })).toEqual([200, 200])
  })
})

describe('an answer to a request of profile haip', () => {
  it('attack: without encryption is refused, and the session does not change', async () => {
    const request = await asked()
    const payload = await fetchRequest(request)
    const credential = await membership(club(), wallet)
    const shown = await present({ id: '', format: 'dc+sd-jwt', credential }, wallet, payload, { disclose: [] })
    const form = { vp_token: JSON.stringify({ club: [shown] }), state: payload.state }
    expect((await postForm(payload.response_uri, form)).status).toBe(400)
    expect((await sessionOf(service, request)).state).toBe('RequestUriRetrieved')
  })

  it('may have a credential of every issuer with a chain to TRUST_ANCHORS', async () => {
    expect(await refusalOf(await membership(club(), wallet))).toBeUndefined()
  })

  it('attack: the chain leads to another root', async () => {
    expect(await refusalOf(await membership(makeLeaf(makeRoot('Stranger')), wallet))).toContain(
      'The certificate chain does not lead to a trust anchor.',
    )
  })

  it('attack: x5c contains the trust anchor (HAIP 1.0 §6.1.1)', async () => {
    const leafOfClub = club()
    const credential = await membership(leafOfClub, wallet, {}, { x5c: [leafOfClub.x5c, root.x5c] })
    expect(await refusalOf(credential)).toContain('The certificate chain holds a trust anchor, which must be left out.')
    expect(await refusalOf(credential, { body: { profile: 'final', trustedIssuers: ['x5c'] } })).toBeUndefined()
  })

  it('attack: the certificate is self-signed, and is not a trust anchor', async () => {
    const self = makeRoot('Club')
    expect(await refusalOf(await membership(self, wallet))).toContain('does not lead to a trust anchor')
  })

  it('is accepted only from a listed issuer if TRUSTED_ISSUERS or the request has a list', async () => {
    const credential = await membership(club(), wallet)
    const untrusted = ofClub('Issuer CN=Club is not trusted.')
    expect(await refusalOf(credential, { body: { trustedIssuers: ['self'] } })).toBe(untrusted)
    await using narrow = await startService({ env: { ...env, VERIFIER_PROFILE: 'haip', TRUSTED_ISSUERS: 'self' } })
    expect(await refusalOf(credential, { by: narrow })).toBe(untrusted)
  })

  it('attack: an issuer that is trusted by name has no certificate: only x5c proves its key (HAIP 1.0 §6.1.1)', async () => {
    const origin = `http://127.0.0.1:${web.port}`
    const issuers = [
      await ForeignIssuer.didJwk(),
      await ForeignIssuer.named(origin, 'key'),
      await ForeignIssuer.named(`did:web:127.0.0.1%3A${web.port}`),
    ]
    web.documents.set('/.well-known/jwt-vc-issuer', {
      body: { issuer: origin, jwks: { keys: [{ ...issuers[1]?.publicJwk, kid: 'key' }] } },
    })
    web.documents.set('/.well-known/did.json', { body: issuers[2]?.didDocument() })
    const before = web.requests.length
    for (const issuer of issuers) {
      const credential = await issuer.sdJwtVc({ holderKey: wallet.publicJwk })
      for (const trustedIssuers of [['*'], [issuer.id]]) {
        expect(await refusalOf(credential, { body: { trustedIssuers } })).toBe(keyRefusal)
      }
    }
    expect(web.requests.length).toBe(before)
    // In profile `final` all of these issuers are accepted.
    for (const issuer of issuers) {
      const credential = await issuer.sdJwtVc({ holderKey: wallet.publicJwk })
      const body = { profile: 'final', trustedIssuers: [issuer.id] }
      expect(await refusalOf(credential, { body })).toBeUndefined()
    }
  })

  it('must not have a credential of this installation without a certificate', async () => {
    const { credential } = await issue(service, wallet, 'dc+sd-jwt')
    const dcqlQuery = { credentials: [{ ...CLUB, meta: { vct_values: [vct(service)] } }] }
    expect(await refusalOf(credential, { body: { dcqlQuery } })).toBe(keyRefusal)
  })
})

describe('holder binding in profile haip (HAIP 1.0 §6.1.1.1)', () => {
  const unproven = { credentials: [{ ...CLUB, require_cryptographic_holder_binding: false }] }

  it('attack: a credential with a holder binding is refused without its proof, even if the query asks for no proof', async () => {
    const credential = await membership(club(), wallet)
    const body = { dcqlQuery: unproven }
    expect(await refusalOf(credential, { body, holderProof: false })).toBe(
      ofClub('Presentation has no Key Binding JWT.'),
    )
    expect(await refusalOf(credential, { body })).toBeUndefined()
    const final = { ...body, profile: 'final', trustedIssuers: ['x5c'] }
    expect(await refusalOf(credential, { body: final, holderProof: false })).toBeUndefined()
  })

  it('is not required of a credential without holder binding if the query allows it', async () => {
    const credential = await membership(club(), wallet, { cnf: undefined })
    expect(await refusalOf(credential, { body: { dcqlQuery: unproven }, holderProof: false })).toBeUndefined()
    expect(await refusalOf(credential, { holderProof: false })).toBe(ofClub('Credential is not bound to a holder key.'))
  })

  it('must be to a JWK, not to a name that must be resolved (§6.1)', async () => {
    const credential = await membership(club(), wallet, { cnf: { kid: wallet.kid } })
    expect(await refusalOf(credential)).toBe(ofClub('Credential cnf has no jwk, which its profile demands.'))
    expect(await refusalOf(credential, { body: { profile: 'final', trustedIssuers: ['x5c'] } })).toBeUndefined()
  })
})

describe('status lists in profile haip (HAIP 1.0 §6.1)', () => {
  /** A credential whose status list is on the web server. */
  async function refusalWith(list: (uri: string) => Promise<string>, presenting: Presenting = {}, issuer = club()) {
    const uri = `http://127.0.0.1:${web.port}/lists/${crypto.randomUUID()}`
    web.documents.set(new URL(uri).pathname, { body: await list(uri), type: 'application/statuslist+jwt' })
    return refusalOf(await membership(issuer, wallet, { status: { status_list: { uri, idx: 5 } } }), presenting)
  }
  const uncertified = ofClub('Status list has no certificate chain that leads to a trust anchor.')

  it('must be signed with a chain to a trust anchor', async () => {
    expect(await refusalWith((uri) => certifiedStatusList(club({ subject: 'Lists' }), uri, [4]))).toBeUndefined()
    expect(await refusalWith((uri) => certifiedStatusList(club({ subject: 'Lists' }), uri, [5]))).toBe(
      ofClub('Credential has been revoked.'),
    )
  })

  it('attack: a list without x5c, even if it is signed with the key of the credential', async () => {
    const issuer = club()
    const bare = async (uri: string) => certifiedStatusList(issuer, uri, [], undefined, { x5c: undefined })
    expect(await refusalWith(bare, {}, issuer)).toBe(uncertified)
    const final = { body: { profile: 'final', trustedIssuers: ['x5c'] } }
    expect(await refusalWith(bare, final, issuer)).toBeUndefined()
  })

  it('attack: a list of another authority', async () => {
    const other = makeLeaf(makeRoot('Stranger'))
    expect(await refusalWith((uri) => certifiedStatusList(other, uri, []))).toBe(
      ofClub('Status list: The certificate chain does not lead to a trust anchor.'),
    )
  })

  it('attack: a list whose x5c contains the trust anchor (§6.1)', async () => {
    const lists = club({ subject: 'Lists' })
    const rooted = (uri: string) => certifiedStatusList(lists, uri, [], undefined, { x5c: [lists.x5c, root.x5c] })
    expect(await refusalWith(rooted)).toBe(
      ofClub('Status list: The certificate chain holds a trust anchor, which must be left out.'),
    )
    expect(await refusalWith(rooted, { body: { profile: 'final', trustedIssuers: ['x5c'] } })).toBeUndefined()
  })
})

describe('algorithms in profile haip (OpenID4VP 1.0 Appendix B.3.4)', () => {
  const final = { body: { profile: 'final', trustedIssuers: ['x5c'] } }
  const ed25519 = () => club({ keyPair: generateKeyPairSync('ed25519') })

  it('attack: a credential with EdDSA, which is not fully specified', async () => {
    const credential = await membership(ed25519(), wallet, {}, { alg: 'EdDSA' })
    expect(await refusalOf(credential)).toBe(ofClub('Credential signature algorithm EdDSA was not asked for.'))
    expect(await refusalOf(credential, final)).toBeUndefined()
    expect(await refusalOf(await membership(ed25519(), wallet, {}, { alg: 'Ed25519' }))).toBeUndefined()
  })

  it('attack: a holder’s proof with EdDSA', async () => {
    const older = await newWallet('EdDSA')
    const named = { ...older, signer: { ...older.signer, alg: 'Ed25519' as SignatureAlgorithm } }
    const credential = await membership(club(), older)
    expect(await refusalOf(credential, { by: service, holder: older })).toBe(
      ofClub('Key Binding JWT signature algorithm EdDSA was not asked for.'),
    )
    expect(await refusalOf(credential, { ...final, holder: older })).toBeUndefined()
    expect(await refusalOf(credential, { holder: named })).toBeUndefined()
  })
})
