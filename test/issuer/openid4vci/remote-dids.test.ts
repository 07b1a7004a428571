import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { didDocument } from '../../../server/protocol/did/did-document.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { startWebServer, type WebServer } from '../../verifier/web-server.js'
import { credentialOf, type Issuer, JWT_VC, payloadOf, refusalOf, SD_JWT, startIssuer } from './actors.js'

let issuer: Issuer
let web: WebServer
let made = 0

beforeAll(async () => {
  web = await startWebServer()
  issuer = await startIssuer({ env: { OUTBOUND_ALLOWED_HOSTS: `127.0.0.1:${web.port}` } })
})
beforeEach(() => {
  web.requests.length = 0
})
afterAll(async () => {
  await issuer.service.close()
  await web[Symbol.asyncDispose]()
})

interface RemoteWallet {
  readonly wallet: WalletActor
  readonly did: string
  readonly path: string
  proof(nonce: string): Promise<string>
}

/** A wallet with a DID document on another server. `listed` is the key in the document. */
async function remoteWallet(listed?: WalletActor): Promise<RemoteWallet> {
  made += 1
  const name = `wallet-${made}`
  const wallet = await newWallet()
  const did = `did:web:127.0.0.1%3A${web.port}:${name}`
  const path = `/${name}/did.json`
  const { publicJwk } = listed ?? wallet
  web.documents.set(path, { body: didDocument({ did, keys: [{ id: '#key', jwk: publicJwk }] }) })
  const header = { kid: `${did}#key` }
  return { wallet, did, path, proof: (nonce) => wallet.proofByDid(issuer.service.url, nonce, { header }) }
}

const newToken = async (members?: Record<string, unknown>) => issuer.token((await issuer.makeOffering(members)).id)
const request = (token: string, jwt: readonly string[], configuration = SD_JWT) =>
  issuer.requestCredential(token, { credential_configuration_id: configuration, proofs: { jwt } })

const USED = [400, 'invalid_nonce', 'The nonce of the proof has been used already.']

describe('a proof by a DID on another host', () => {
  it('is accepted; its nonce is valid for one use', async () => {
    const remote = await remoteWallet()
    const nonce = await issuer.nonce()
    const token = await newToken()
    const issued = payloadOf(credentialOf(await request(token, [await remote.proof(nonce)])))
    expect([issued.sub, web.requests]).toEqual([remote.did, [remote.path]])
    expect(refusalOf(await request(token, [await remote.proof(nonce)], JWT_VC))).toEqual(USED)
    expect((await request(token, [await remote.proof(await issuer.nonce())], JWT_VC)).status).toBe(200)
  })

  it('twenty proofs of one DID may share a nonce', async () => {
    const wallets = await Promise.all(Array.from({ length: 20 }, () => newWallet()))
    const did = `did:web:127.0.0.1%3A${web.port}:many`
    const keys = wallets.map(({ publicJwk }, index) => ({ id: `#${index}`, jwk: publicJwk }))
    web.documents.set('/many/did.json', { body: didDocument({ did, keys }) })
    const nonce = await issuer.nonce()
    const jwt = await Promise.all(
      wallets.map((wallet, index) =>
        wallet.proofByDid(issuer.service.url, nonce, { header: { kid: `${did}#${index}` } }),
      ),
    )
    const answer = await request(await newToken(), jwt)
    expect([answer.status, answer.json.credentials?.length, web.requests]).toEqual([200, 20, ['/many/did.json']])
  })

  it('attack: a refused request uses up its nonce, so that no nonce causes two fetches', async () => {
    const stranger = await newWallet()
    const nonce = await issuer.nonce()
    const token = await newToken()
    const unsigned = await remoteWallet(stranger)
    const refused = refusalOf(await request(token, [await unsigned.proof(nonce)]))
    expect(refused.slice(0, 2)).toEqual([400, 'invalid_proof'])
    expect(web.requests).toEqual([unsigned.path])
    const next = await remoteWallet()
    expect(refusalOf(await request(token, [await next.proof(nonce)]))).toEqual(USED)
    expect(refusalOf(await request(await newToken(), [await next.proof(nonce)]))).toEqual(USED)
    expect(web.requests).toEqual([unsigned.path])
  })

  it('attack: thirty simultaneous requests with one nonce cause only one fetch', async () => {
    const nonce = await issuer.nonce()
    const token = await newToken()
    const stranger = await newWallet()
    const attackers = await Promise.all(Array.from({ length: 30 }, () => remoteWallet(stranger)))
    const answers = await Promise.all(attackers.map(async ({ proof }) => request(token, [await proof(nonce)])))
    expect(answers.every(({ status }) => status === 400)).toBe(true)
    expect(web.requests).toHaveLength(1)
  })

  it('attack: of twenty DIDs on other hosts in one request only four are resolved, and the request is refused', async () => {
    const attackers = await Promise.all(Array.from({ length: 20 }, () => remoteWallet()))
    const nonces = await Promise.all(attackers.map(() => issuer.nonce()))
    const jwt = await Promise.all(attackers.map(({ proof }, index) => proof(nonces[index] ?? '')))
    const token = await newToken()
    expect(refusalOf(await request(token, jwt))).toEqual([
      400,
      'invalid_proof',
      'Key proof 5 of 20: The key that the kid of the proof names cannot be resolved: ' +
        'More than 4 DIDs of other hosts would have to be resolved.',
    ])
    expect(web.requests).toHaveLength(4)
    // Four DIDs are allowed.
    const fresh = await issuer.nonce()
    const four = await Promise.all(attackers.slice(4, 8).map(({ proof }) => proof(fresh)))
    expect((await request(token, four)).status).toBe(200)
  })

  it('attack: a recipient on another host is looked up once for each nonce', async () => {
    const recipient = await remoteWallet()
    const token = await newToken({ recipient: recipient.did })
    const stranger = await newWallet()
    const jwt = [await stranger.proof(issuer.service.url, await issuer.nonce())]
    const denied = refusalOf(await request(token, jwt))
    expect(denied.slice(0, 2)).toEqual([400, 'credential_request_denied'])
    expect(refusalOf(await request(token, jwt))).toEqual(USED)
    expect(web.requests).toEqual([recipient.path])
    const bare = [await recipient.wallet.proof(issuer.service.url, await issuer.nonce())]
    expect((await request(token, bare)).status).toBe(200)
  })
})

it('any other refusal uses up nothing: the nonce is still valid', async () => {
  const wallet = await newWallet()
  const nonce = await issuer.nonce()
  const token = await newToken()
  const wrong = [
    await wallet.proofByDid(issuer.service.url, nonce, { header: { kid: `${(await newWallet()).did}#0` } }),
  ]
  expect((await request(token, wrong)).status).toBe(400)
  expect((await request(token, [await wallet.proof(issuer.service.url, nonce)])).status).toBe(200)
})
