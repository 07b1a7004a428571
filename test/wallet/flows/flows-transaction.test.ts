import { createHash } from 'node:crypto'
import { Openid4vpVerifier } from '@openid4vc/openid4vp'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HostedWallet } from '../../support/wallet.js'
import { ask, sessionOf } from '../../verifier/actors.js'
import { type FlowWorld, makeFlowWorld } from '../flow-world.js'
import { type HostileWorld, makeHostileWorld } from '../hostile-world.js'

const PAYMENT = { type: 'urn:example:payment', credential_ids: ['purchase'], amount: '12.00 €' }

describe('transaction data of a verifier of this service (OpenID4VP 1.0 §8.4)', () => {
  let world: FlowWorld
  let holder: HostedWallet
  beforeAll(async () => {
    world = await makeFlowWorld()
    holder = await world.holding('alice')
  })
  afterAll(() => world.close())

  const query = (ids: string[]) => ({
    credentials: ids.map((id) => ({
      id,
      format: 'dc+sd-jwt',
      meta: { vct_values: [`${world.service.url}/vct/${world.type}`] },
    })),
  })
  const asked = (transactionData: unknown[], ids = ['purchase']) =>
    ask(world.service, { dcqlQuery: query(ids), transactionData })

  it('are shown, and authorized by the person who confirms', async () => {
    const entries = [
      PAYMENT,
      { ...PAYMENT, credential_ids: ['other', 'purchase'], transaction_data_hashes_alg: ['sha-512', 'sha-256'] },
      { type: 'urn:example:signature', credential_ids: ['other'], transaction_data_hashes_alg: ['sha-384'] },
    ]
    const request = await asked(entries, ['purchase', 'other'])
    const { json } = await world.start(request.authorizationRequestUri, holder.did, holder.authorization)
    expect(json.data.transactionData).toEqual(entries)
    const [chosen] = json.data.matchingCredentials
    const { processId } = json.data
    const confirmed = await world.confirm(processId, 'presentation', chosen, holder.authorization)
    expect([confirmed.status, confirmed.json.status]).toEqual([200, 'confirmed'])
    const result = await world.service.request(
      'GET',
      `/verification-sessions/${request.verificationSessionId}/result`,
      {
        authorization: await world.service.bearer('verifier'),
      },
    )
    expect(result.json.credentials).toMatchObject([
      { credentialQueryId: 'purchase', transactionData: [0, 1] },
      { credentialQueryId: 'other', transactionData: [2] },
    ])
  })

  it('are missing in the answer if there are none', async () => {
    const request = await ask(world.service, { dcqlQuery: query(['purchase']) })
    const { json } = await world.start(request.authorizationRequestUri, holder.did, holder.authorization)
    expect(json.data).not.toHaveProperty('transactionData')
  })

  it('are refused by process, because process shows them to no user; the verifier receives the error', async () => {
    const request = await asked([PAYMENT])
    const refused = await holder.process(request.authorizationRequestUri)
    expect([refused.status, refused.json.message]).toEqual([
      400,
      'Request has transaction data, which a person confirms: start a flow with it.',
    ])
    expect(await sessionOf(world.service, request)).toMatchObject({
      state: 'Error',
      errorMessage: 'Wallet answered invalid_transaction_data.',
    })
    expect((await holder.get('/presentations')).json.length).toBe(1)
  })

  it('that no chosen credential can authorize are a 400, and the flow still waits', async () => {
    const credentials = query(['purchase', 'other']).credentials
    const credential_sets = [{ options: [['purchase']] }, { options: [['other']], required: false }]
    const request = await ask(world.service, {
      dcqlQuery: { credentials, credential_sets },
      transactionData: [{ ...PAYMENT, credential_ids: ['other'] }],
    })
    const { json } = await world.start(request.authorizationRequestUri, holder.did, holder.authorization)
    const confirm = () =>
      world.confirm(json.data.processId, 'presentation', json.data.matchingCredentials[0], holder.authorization)
    for (const answer of [await confirm(), await confirm()]) {
      expect([answer.status, answer.json.message]).toEqual([
        400,
        ['selectedCredential.id must be the id of a credential that can authorize the transaction'],
      ])
    }
  })
})

describe('transaction data of an independent verifier', () => {
  let world: HostileWorld
  beforeAll(async () => {
    world = await makeHostileWorld()
  })
  afterAll(() => world.close())

  const encoded = (entry: unknown) => Buffer.from(JSON.stringify(entry)).toString('base64url')

  async function started(transaction_data: string[], query: Record<string, unknown> = world.diploma()) {
    const { did, authorization } = world.wallet
    const qrContent = await world.verifier.request(query, { payload: { transaction_data } })
    return world.service.request('POST', '/flows', { authorization, body: { qrContent, did } })
  }

  it.each([
    [undefined, 'sha-256'],
    [['sha3-256', 'sha-512'], 'sha-512'],
  ])('have their hash in the Key Binding JWT, by an algorithm of %j', async (algorithms, expected) => {
    const entry = { type: 'payment', credential_ids: ['diploma'], transaction_data_hashes_alg: algorithms }
    const transactionData = [encoded(entry)]
    const { json } = await started(transactionData)
    const { processId, matchingCredentials } = json.data
    const confirmed = await world.service.request('POST', `/flows/${processId}/confirm`, {
      authorization: world.wallet.authorization,
      body: { type: 'presentation', selectedCredential: matchingCredentials[0] },
    })
    expect(confirmed.status).toBe(200)
    const [presentation] = world.verifier.responses.at(-1)?.presentations.diploma ?? []
    const said = decodeJwt(String(presentation).split('~').at(-1) ?? '') as {
      transaction_data_hashes: string[]
      transaction_data_hashes_alg?: string
    }
    expect(said.transaction_data_hashes_alg).toBe(algorithms === undefined ? undefined : expected)
    const hash = (data: Uint8Array, alg: string) => createHash(alg.replace('-', '')).update(data).digest()
    const verifier = new Openid4vpVerifier({ callbacks: { hash } as never })
    const verified = await verifier.verifyTransactionData({
      transactionData,
      credentials: { diploma: [said] },
    })
    expect(verified).toMatchObject([{ credentialId: 'diploma' }])
  })

  const other = (members: Record<string, unknown>) => ({
    credentials: [{ ...(world.diploma().credentials as object[])[0], ...members }],
  })

  it.each<[string, () => unknown, (() => Record<string, unknown>)?]>([
    ['of a credential that was not requested', () => ({ type: 'payment', credential_ids: ['licence'] })],
    [
      'by an unknown algorithm',
      () => ({ type: 'payment', credential_ids: ['diploma'], transaction_data_hashes_alg: ['sha3-256'] }),
    ],
    ['longer than anybody reads', () => ({ type: 'x'.repeat(20_000), credential_ids: ['diploma'] })],
    [
      'without holder binding',
      () => ({ type: 'payment', credential_ids: ['diploma'] }),
      () => other({ require_cryptographic_holder_binding: false }),
    ],
    [
      'of a format that has none',
      () => ({ type: 'payment', credential_ids: ['diploma'] }),
      () => other({ format: 'jwt_vc_json', meta: { type_values: [['Diploma']] } }),
    ],
  ])('are refused %s, and the verifier receives the error', async (_what, entry, query) => {
    const before = world.verifier.refusals.length
    const answer = await started([encoded(entry())], query?.())
    expect([answer.status, answer.json.message]).toEqual([500, expect.stringMatching(/^Transaction data 1 /)])
    expect(world.verifier.refusals.slice(before)).toMatchObject([{ error: 'invalid_transaction_data' }])
  })

  it('are refused if they are more than 16', async () => {
    const entries = Array.from({ length: 17 }, (_, n) => encoded({ type: 'payment', credential_ids: ['diploma'], n }))
    expect((await started(entries)).json.message).toBe('The transaction data are more than 16.')
  })
})
