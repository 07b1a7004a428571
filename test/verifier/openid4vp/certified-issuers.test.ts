import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestCertificate } from '../../protocol/issuer-keys/certificates.js'
import { startService, type TestService } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { answer, ask, fetchRequest, present, sessionOf } from '../actors.js'
import { anchorFiles, certifiedStatusList, MEMBERSHIP, makeLeaf, makeRoot, membership } from '../certified.js'
import { startWebServer, type WebServer } from '../web-server.js'

let files: Awaited<ReturnType<typeof anchorFiles>>
let web: WebServer
let [root, stranger, lists]: TestCertificate[] = []
let service: TestService
let wallet: WalletActor

beforeAll(async () => {
  files = await anchorFiles()
  web = await startWebServer()
  root = makeRoot()
  stranger = makeRoot('Stranger')
  lists = makeRoot('Lists')
  service = await startService({
    env: {
      TRUST_ANCHORS: await files.write('roots', root),
      TRUSTED_ISSUERS: 'self,x5c',
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    },
  })
  wallet = await newWallet()
})
afterAll(async () => {
  await service.close()
  await web[Symbol.asyncDispose]()
  await files[Symbol.asyncDispose]()
})

const rootOf = (certificate: TestCertificate | undefined) => certificate as TestCertificate
const leaf = () => makeLeaf(rootOf(root))

/** Presents a credential. @returns the issuer in the result, or an error if it is refused. */
async function issuerOf(credential: string, body: Record<string, unknown> = {}) {
  const { asked, refusal } = await presented(credential, body, service)
  if (refusal !== undefined) throw new Error(refusal)
  const path = `/verification-sessions/${asked.verificationSessionId}/result`
  const result = await service.request('GET', path, { authorization: await service.bearer('verifier') })
  expect(result.status).toBe(200)
  return result.json.credentials[0].issuer
}

/** Presents a credential. @returns undefined if it is accepted, otherwise the reason. */
const refusalOf = async (credential: string, body: Record<string, unknown> = {}, to = service) =>
  (await presented(credential, body, to)).refusal

async function presented(credential: string, body: Record<string, unknown>, to: TestService) {
  const asked = await ask(to, {
    responseMode: 'direct_post',
    dcqlQuery: { credentials: [{ id: 'club', format: 'dc+sd-jwt', meta: { vct_values: [MEMBERSHIP] } }] },
    ...body,
  })
  const payload = await fetchRequest(asked)
  const held = { id: '', format: 'dc+sd-jwt', credential } as const
  const reply = await answer(payload, { club: [await present(held, wallet, payload, { disclose: [] })] })
  const session = await sessionOf(to, asked)
  expect(session.state).toBe(reply.status === 200 ? 'ResponseVerified' : 'Error')
  return { asked, refusal: reply.json.error_description }
}

describe('the entry x5c of TRUSTED_ISSUERS', () => {
  it('trusts every issuer with a chain to TRUST_ANCHORS, also if the certificate names no URI or DNS name', async () => {
    expect(await refusalOf(await membership(leaf(), wallet))).toBeUndefined()
    const named = makeLeaf(rootOf(root), { dns: ['club.example'] })
    expect(await refusalOf(await membership(named, wallet, { iss: 'https://club.example' }))).toBeUndefined()
  })

  it('is required: without it a credential with x5c is not trusted by its chain', async () => {
    const refusal = await refusalOf(await membership(leaf(), wallet), { trustedIssuers: ['self'] })
    expect(refusal).toBe('Presentation for club: Issuer CN=Club is not trusted.')
  })

  it('may belong to one request', async () => {
    const env = { TRUST_ANCHORS: await files.write('one', rootOf(root)) }
    await using other = await startService({ env })
    const credential = await membership(leaf(), wallet)
    expect(await refusalOf(credential, {}, other)).toBe('Presentation for club: Issuer CN=Club is not trusted.')
    expect(await refusalOf(credential, { trustedIssuers: ['x5c'] }, other)).toBeUndefined()
  })

  it('trusts no chain to another root', async () => {
    const refusal = await refusalOf(await membership(makeLeaf(rootOf(stranger)), wallet))
    expect(refusal).toContain('The certificate chain does not lead to a trust anchor.')
  })

  it('trusts every issuer with such a chain, with any iss, and reports the subject of the certificate', async () => {
    for (const iss of ['https://bank.example', service.url, 'urn:pid-provider'])
      expect(await issuerOf(await membership(leaf(), wallet, { iss }))).toBe('CN=Club')
  })

  it('reports a name that the certificate proves', async () => {
    const named = makeLeaf(rootOf(root), { dns: ['club.example'] })
    const iss = 'https://club.example/members'
    expect(await issuerOf(await membership(named, wallet, { iss }))).toBe(iss)
  })

  it('accepts a chain also if the unproven iss is trusted by name', async () => {
    const body = { trustedIssuers: ['x5c', 'https://bank.example'] }
    expect(await issuerOf(await membership(leaf(), wallet, { iss: 'https://bank.example' }), body)).toBe('CN=Club')
  })

  it('causes no fetch from a name that is trusted only for its certificate', async () => {
    const iss = `did:web:127.0.0.1%3A${web.port}:club`
    const certified = makeLeaf(rootOf(root), { uri: [iss] })
    expect(await refusalOf(await membership(certified, wallet, { iss }))).toBeUndefined()
    expect(await issuerOf(await membership(leaf(), wallet, { iss }))).toBe('CN=Club')
    expect(web.requests).toEqual([])
  })
})

describe('an iss that the certificate does not prove', () => {
  const BANK = 'https://bank.example'
  const DID = 'did:web:bank.example'
  const posing = (iss: string, names: Parameters<typeof makeLeaf>[1] = {}) =>
    membership(makeLeaf(rootOf(root), names), wallet, { iss })

  it.each([
    ['an origin of TRUSTED_ISSUERS', BANK, [BANK], {}],
    ['an issuer below such an origin', `${BANK}/tenant`, [BANK], {}],
    ['a DID of TRUSTED_ISSUERS', DID, [DID], {}],
    ['an origin that is only the common name of the certificate', BANK, [BANK], { subject: BANK }],
    ['an origin, with a certificate for another host', BANK, [BANK], { dns: ['club.example'] }],
    ['a word of TRUSTED_ISSUERS', 'self', ['self'], { subject: 'self' }],
  ])('gives no trust: %s', async (_, iss, trustedIssuers, names) => {
    const refusal = await refusalOf(await posing(iss, names), { trustedIssuers })
    expect(refusal).toMatch(/^Presentation for club: (?:Issuer .* is not trusted\.|Issuer key cannot be resolved: )/)
  })

  it.each([
    ['an origin', BANK, {}],
    ['an origin, with a certificate for another host', BANK, { dns: ['club.example'] }],
    ['a DID', DID, {}],
    ['a URN', 'urn:pid-provider', {}],
  ])('is not named in the refusal, which names the subject of the certificate: %s', async (_, iss, names) => {
    for (const trustedIssuers of [['self'], ['https://other.example']]) {
      const refusal = await refusalOf(await posing(iss, names), { trustedIssuers })
      expect(refusal).toBe('Presentation for club: Issuer CN=Club is not trusted.')
    }
  })

  it('is not named in the refusal if the chain leads to no trust anchor', async () => {
    const credential = await membership(makeLeaf(rootOf(stranger)), wallet, { iss: BANK })
    const refusal = await refusalOf(credential, { trustedIssuers: ['self'] })
    expect(refusal).toContain('Issuer key cannot be resolved: The certificate chain does not lead to a trust anchor.')
  })

  it('that the certificate names is named in the refusal', async () => {
    const refusal = await refusalOf(await posing(BANK, { dns: ['bank.example'] }), { trustedIssuers: ['self'] })
    expect(refusal).toBe(`Presentation for club: Issuer ${BANK} is not trusted.`)
  })

  it('is not taken for this installation', async () => {
    const refusal = await refusalOf(await posing(service.url), { trustedIssuers: ['self'] })
    expect(refusal).toBe('Presentation for club: Issuer CN=Club is not trusted.')
  })

  it('is accepted by *', async () => {
    expect(await issuerOf(await posing(BANK), { trustedIssuers: ['*'] })).toBe('CN=Club')
  })

  it.each(['$.iss', '$.issuer', '$.vc.issuer.id'])(
    'neither satisfies a constraint on %s nor is trusted for it',
    async (path) => {
      const constraint = { path: [path], filter: { const: BANK } }
      const query = [{ fields: [{ path: ['$.vct'], filter: { const: MEMBERSHIP } }, constraint] }]
      for (const trustedIssuers of [['self'], ['x5c'], ['*']]) {
        const asked = await ask(service, { responseMode: 'direct_post', query, trustedIssuers })
        const payload = await fetchRequest(asked)
        const held = { id: '', format: 'dc+sd-jwt', credential: await posing(BANK) } as const
        const presentation = await present(held, wallet, payload, { disclose: [] })
        const reply = await answer(payload, { 'item-0-sd-jwt': [presentation] })
        expect([reply.status, reply.json.error_description]).toEqual([
          400,
          expect.stringMatching(
            /Issuer CN=Club is not trusted\.|does not satisfy const of its filter\.|holds none of the values/,
          ),
        ])
      }
    },
  )

  it('does not match `values` of a DCQL claim (OpenID4VP 1.0 §6.3)', async () => {
    const claims = (values: string[]) => ({
      dcqlQuery: {
        credentials: [
          { id: 'club', format: 'dc+sd-jwt', meta: { vct_values: [MEMBERSHIP] }, claims: [{ path: ['iss'], values }] },
        ],
      },
    })
    expect(await refusalOf(await posing(BANK), claims([BANK]))).toContain('iss')
    expect(await refusalOf(await posing(BANK), claims(['CN=Club']))).toBeUndefined()
    expect(await refusalOf(await posing(BANK, { dns: ['bank.example'] }), claims([BANK]))).toBeUndefined()
  })
})

describe('a credential with x5c at an installation without TRUST_ANCHORS', () => {
  /** An https issuer that publishes three keys, and credentials under a certificate without `kid`. */
  async function published(...leaves: readonly TestCertificate[]) {
    const iss = `http://127.0.0.1:${web.port}/${crypto.randomUUID()}`
    const keys = leaves.map(({ certificate }, at) => ({
      ...certificate.publicKey.export({ format: 'jwk' }),
      kid: `key-${at}`,
    }))
    const path = `/.well-known/jwt-vc-issuer${new URL(iss).pathname}`
    web.documents.set(path, { body: { issuer: iss, jwks: { keys } } })
    return iss
  }

  it('is verified only by the published key for which its certificate was made', async () => {
    const [signer, former, newest, forger] = [leaf(), leaf(), leaf(), leaf()]
    const iss = await published(former, signer, newest)
    await using bare = await startService({ env: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' } })
    const body = { trustedIssuers: [new URL(iss).origin] }
    expect(await refusalOf(await membership(signer, wallet, { iss }), body, bare)).toBeUndefined()
    expect(await refusalOf(await membership(forger, wallet, { iss }), body, bare)).toBe(
      `Presentation for club: Issuer key cannot be resolved: The issuer ${iss} does not publish the key of the certificate.`,
    )
    // A forger's signature with a certificate of the issuer.
    const posing = { ...forger, x5c: signer.x5c }
    expect(await refusalOf(await membership(posing, wallet, { iss }), body, bare)).toBe(
      'Presentation for club: Credential signature is invalid.',
    )
  })
})

describe('a Token Status List that is signed by certificate (HAIP 1.0 §6.1)', () => {
  /** A credential whose status list is on the web server. */
  async function refusalWith(list: (uri: string) => Promise<string>, body: Record<string, unknown> = {}, to = service) {
    const uri = `http://127.0.0.1:${web.port}/lists/${crypto.randomUUID()}`
    web.documents.set(new URL(uri).pathname, { body: await list(uri), type: 'application/statuslist+jwt' })
    return refusalOf(await membership(leaf(), wallet, { status: { status_list: { uri, idx: 5 } } }), body, to)
  }
  const signer = () => makeLeaf(rootOf(root), { subject: 'Lists of the club' })

  it('may be signed by another certificate of the same authority', async () => {
    expect(await refusalWith((uri) => certifiedStatusList(signer(), uri, [4]))).toBeUndefined()
  })

  it('shows revoked credentials', async () => {
    const refusal = await refusalWith((uri) => certifiedStatusList(signer(), uri, [5]))
    expect(refusal).toBe('Presentation for club: Credential has been revoked.')
  })

  it('must be the list that the credential names, and must not have expired', async () => {
    expect(await refusalWith((uri) => certifiedStatusList(signer(), `${uri}/other`, []))).toBe(
      'Presentation for club: Status list is not the one that the credential names.',
    )
    const past = new Date(Date.now() - 60_000)
    expect(await refusalWith((uri) => certifiedStatusList(signer(), uri, [], past))).toBe(
      'Presentation for club: Status list has expired.',
    )
  })

  it('must not come from another authority, and the refusal names its signer', async () => {
    expect(await refusalWith((uri) => certifiedStatusList(makeLeaf(rootOf(lists)), uri, []))).toBe(
      'Presentation for club: Status list issuer key cannot be resolved: The certificate chain does not lead to a trust anchor.',
    )
    const unsigned = (uri: string) => certifiedStatusList(signer(), uri, [], undefined, { x5c: undefined })
    expect(await refusalWith(unsigned)).toMatch(/^Presentation for club: Status list issuer key cannot be resolved: /)
  })

  it('may come from an authority only for lists, if STATUS_TRUST_ANCHORS names it; then from no other authority', async () => {
    const env = {
      TRUST_ANCHORS: await files.write('credentials', rootOf(root)),
      STATUS_TRUST_ANCHORS: await files.write('lists', rootOf(lists)),
      TRUSTED_ISSUERS: 'x5c',
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    }
    await using other = await startService({ env })
    expect(await refusalWith((uri) => certifiedStatusList(makeLeaf(rootOf(lists)), uri, []), {}, other)).toBeUndefined()
    expect(await refusalWith((uri) => certifiedStatusList(signer(), uri, []), {}, other)).toContain(
      'Status list is of another issuer than the credential.',
    )
    // Two certificates with the same name may belong to different issuers.
    expect(await refusalWith((uri) => certifiedStatusList(leaf(), uri, []), {}, other)).toBe(
      'Presentation for club: Status list is of another issuer than the credential.',
    )
    // For credentials, this authority is not trusted either.
    const forged = await membership(makeLeaf(rootOf(lists)), wallet)
    expect(await refusalOf(forged, {}, other)).toContain('does not lead to a trust anchor')
  })
})
