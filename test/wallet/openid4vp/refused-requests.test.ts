import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RemoteRequestOptions } from '../../support/remote-verifier.js'
import { newRemoteKey } from '../../support/wallet-callbacks.js'
import { type HostileWorld, makeHostileWorld } from '../hostile-world.js'

let world: HostileWorld

beforeAll(async () => {
  world = await makeHostileWorld()
})
afterAll(() => world.close())

const TRANSACTION = [
  Buffer.from(JSON.stringify({ type: 'payment', credential_ids: ['diploma'] })).toString('base64url'),
]
const STATE = 'state-of-the-request'

/** The errors that a verifier receives when its request is refused. */
async function toldOf(options: RemoteRequestOptions, query?: unknown) {
  const before = world.verifier.refusals.length
  const refusal = await world.refusalOf({ ...options, payload: { state: STATE, ...options.payload } }, query)
  // The caller can use a flow to confirm transaction data, so this refusal is a 400.
  const confirmable = options.payload?.transaction_data !== undefined && options.signer === undefined
  expect(refusal).toMatchObject({
    status: confirmable && options.payload?.response_uri === undefined ? 400 : 500,
    presented: 0,
  })
  return world.verifier.refusals.slice(before)
}

const told = (error: string, encrypted = false) => [{ error, state: STATE, encrypted }]

describe('a hosted wallet that refuses a request sends its verifier the reason (OpenID4VP 1.0 §8.5)', () => {
  it.each(['direct_post', 'direct_post.jwt'] as const)(
    'transaction data that no user can approve (%s)',
    async (mode) => {
      const options = { mode, payload: { transaction_data: TRANSACTION } }
      expect(await toldOf(options)).toEqual(told('invalid_transaction_data', mode === 'direct_post.jwt'))
    },
  )

  it.each(['redirect_uri', 'x509_san_dns', 'x509_hash'] as const)(
    'a verifier with the prefix %s gets the reason too',
    async (prefix) => {
      expect(await toldOf({ prefix, payload: { transaction_data: TRANSACTION } })).toEqual(
        told('invalid_transaction_data'),
      )
    },
  )

  it('a query that is not valid', async () => {
    const credentials = [{ id: 'a b', format: 'dc+sd-jwt', meta: { vct_values: ['x'] } }]
    expect(await toldOf({}, { credentials })).toEqual(told('invalid_request'))
  })

  it('credentials of formats that it does not have', async () => {
    const credentials = [{ id: 'licence', format: 'ldp_vc', meta: { type_values: [['Licence']] } }]
    expect(await toldOf({}, { credentials })).toEqual(told('vp_formats_not_supported'))
  })
})

describe('the wallet sends no reason', () => {
  it('for a missing credential (§15)', async () => {
    const credentials = [{ id: 'other', format: 'dc+sd-jwt', meta: { vct_values: ['https://other.example/vct'] } }]
    expect(await toldOf({}, { credentials })).toEqual([])
  })

  it('for a request without a nonce, because nothing would bind an answer to it (§5.2)', async () => {
    expect(await toldOf({ payload: { nonce: undefined } })).toEqual([])
    expect(await toldOf({ payload: { nonce: '' } })).toEqual([])
  })

  it('to a verifier that is not proven to have sent the request, or to an address of another party', async () => {
    const payload = { transaction_data: TRANSACTION }
    expect(await toldOf({ payload, signer: await newRemoteKey() })).toEqual([])
    const elsewhere = { ...payload, response_uri: `${world.elsewhere.url.replace('127.0.0.1', 'localhost')}/response` }
    expect(await toldOf({ prefix: 'x509_san_dns', payload: elsewhere })).toEqual([])
    expect(world.elsewhere.seen).toEqual([])
  })
})
