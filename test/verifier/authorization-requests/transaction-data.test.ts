import { describe, expect, it } from 'vitest'
import { foundIn } from '../../keys/stolen.js'
import { query } from '../../support/postgres.js'
import { dcql } from '../actors.js'
import { useWorld } from '../world.js'

const world = useWorld({ env: { KEY_ENCRYPTION_KEY: Buffer.alloc(32, 4).toString('base64url') } })

const PAYMENT = { type: 'urn:example:payment', credential_ids: ['purchase'], amount: '12.00 €' }
const SIGNATURE = { type: 'urn:example:signature', credential_ids: ['other'], document: 'Lease' }

describe('transactionData that no presentation could authorize is refused at once (OpenID4VP 1.0 Appendix B.3.3)', () => {
  const refused = async (transactionData: unknown, query?: Record<string, unknown>) => {
    const { status, json } = await world.service.request('POST', '/authorization-requests', {
      authorization: await world.service.bearer('verifier'),
      body: { dcqlQuery: query ?? dcql(world.service, 'dc+sd-jwt'), transactionData },
    })
    return [status, [json.message].flat()[0]]
  }

  it.each([
    [
      'of an unknown query',
      [PAYMENT, SIGNATURE],
      'transactionData.1.credential_ids.0 must be the id of a credential query',
    ],
    ['without type', [{ credential_ids: ['purchase'] }], 'transactionData.0.type must be defined'],
    ['without credential', [{ ...PAYMENT, credential_ids: [] }], 'transactionData.0.credential_ids must not be empty'],
    [
      'with an unknown algorithm',
      [{ ...PAYMENT, transaction_data_hashes_alg: ['sha-256', 'md5'] }],
      'transactionData.0.transaction_data_hashes_alg.1',
    ],
    [
      'of more than 8 KiB',
      [{ ...PAYMENT, note: 'x'.repeat(8_192) }],
      'transactionData.0 must not hold more than 8192 bytes as JSON',
    ],
    ['one of 17', Array.from({ length: 17 }, (_, n) => ({ ...PAYMENT, n })), 'transactionData must'],
    ['none at all', [], 'transactionData must'],
    ['twice', [PAYMENT, PAYMENT], 'transactionData.1 must not be the same as another'],
    [
      'whose algorithms one Key Binding JWT cannot satisfy',
      [PAYMENT, { ...PAYMENT, transaction_data_hashes_alg: ['sha-512'] }],
      'transactionData.1.transaction_data_hashes_alg must share an algorithm with the others for purchase',
    ],
  ])('%s', async (_what, transactionData, message) => {
    expect(await refused(transactionData)).toEqual([400, expect.stringContaining(message)])
  })

  it('for a format without transaction data, or without holder binding', async () => {
    const place = 'transactionData.0.credential_ids.0 must not name a credential query'
    expect(await refused([PAYMENT], dcql(world.service, 'jwt_vc_json'))).toEqual([
      400,
      `${place} of format jwt_vc_json, which has no transaction data`,
    ])
    const unbound = dcql(world.service, 'dc+sd-jwt', { require_cryptographic_holder_binding: false })
    expect(await refused([PAYMENT], unbound)).toEqual([400, `${place} without require_cryptographic_holder_binding`])
  })
})

it('transaction data of an open request are not in its row in the clear', async () => {
  const amount = `12.00 EUR for Erika ${crypto.randomUUID()}`
  const { asked, payload } = await world.asked('dc+sd-jwt', { transactionData: [{ ...PAYMENT, amount }] })
  const [sent = ''] = (payload as { transaction_data?: string[] }).transaction_data ?? []
  expect(Buffer.from(sent, 'base64url').toString()).toContain(amount)
  const [row] = await query<{ text: string }>(
    world.service.databaseUrl,
    'SELECT s::text AS text FROM verification_sessions s WHERE id = $1',
    [asked.verificationSessionId],
  )
  expect(row?.text).toContain(asked.verificationSessionId)
  expect(foundIn(row?.text ?? '', [amount])).toEqual([])
})
