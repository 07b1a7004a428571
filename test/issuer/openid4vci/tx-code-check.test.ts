import { describe, expect, it } from 'vitest'
import { hashTxCode, TX_CODE_LOCKED } from '../../../server/issuer/openid4vci/tx-code.js'
import { createTxCodeCheck } from '../../../server/issuer/openid4vci/tx-code-check.js'
import { NOW, storedSession } from './offering-fakes.js'

const key = new Uint8Array(32).fill(7)
const CODE = '493536'

/**
 * Makes the check with a session store that has `left` attempts left. Also returns the recorded calls of the store and
 * of the metrics.
 */
function checkWith(left: number | undefined) {
  const asked: unknown[] = []
  const counted: unknown[] = []
  const assertTxCode = createTxCodeCheck({
    key,
    offerSessions: {
      countWrongTxCode: async (...args) => {
        asked.push(args)
        return left
      },
    },
    metrics: { offerSession: (...args) => counted.push(args) },
    clock: () => NOW,
  })
  return { assertTxCode, asked, counted }
}

const withCode = storedSession({ txCodeHash: hashTxCode(key, 'offer', CODE) })

const refusal = (error: string, message: string) => expect.objectContaining({ error, message })

describe('the transaction code of a token request (OpenID4VCI 1.0 §6.3)', () => {
  it('that is right does not count as an attempt', async () => {
    const { assertTxCode, asked, counted } = checkWith(4)
    await assertTxCode({ profile: 'final', session: withCode }, CODE)
    expect([asked, counted]).toEqual([[], []])
  })

  it('of another offer is wrong, because its hash depends on the offer', async () => {
    const { assertTxCode } = checkWith(4)
    const session = { ...withCode, id: 'another' }
    await expect(assertTxCode({ profile: 'final', session }, CODE)).rejects.toThrow(/is wrong/)
  })

  it.each([
    ['without a session', null],
    ['whose session has none', storedSession()],
  ])('is not expected for an offer %s, and may be left out', async (_, session) => {
    const { assertTxCode, asked } = checkWith(4)
    await assertTxCode({ profile: 'final', session }, undefined)
    await expect(assertTxCode({ profile: 'final', session }, CODE)).rejects.toEqual(
      refusal('invalid_request', 'tx_code is not expected for this offer.'),
    )
    expect(asked).toEqual([])
  })

  it.each([
    ['final', 'tx_code'],
    ['draft11', 'user_pin'],
  ] as const)('that is missing is named with the parameter of %s: %s', async (profile, name) => {
    const { assertTxCode, asked } = checkWith(4)
    await expect(assertTxCode({ profile, session: withCode }, undefined)).rejects.toEqual(
      refusal('invalid_request', `${name} is missing.`),
    )
    expect(asked).toEqual([])
  })

  it('that is wrong is counted at the time of the request, with the session in its locked state', async () => {
    const { assertTxCode, asked, counted } = checkWith(3)
    await expect(assertTxCode({ profile: 'final', session: withCode }, '000000')).rejects.toEqual(
      refusal('invalid_grant', 'The transaction code is wrong. Attempts left: 3.'),
    )
    expect(asked).toEqual([[{ ...withCode, state: 'Error', seq: 3, errorMessage: TX_CODE_LOCKED }, NOW]])
    expect(counted).toEqual([])
  })

  it.each([
    ['the last attempt, which ends the session', 0, [['failed', 'tx-code']]],
    ['an attempt after the last attempt, which has no effect', undefined, []],
  ] as const)('that is wrong at %s is locked', async (_, left, ended) => {
    const { assertTxCode, counted } = checkWith(left)
    await expect(assertTxCode({ profile: 'final', session: withCode }, '000000')).rejects.toEqual(
      refusal('invalid_grant', TX_CODE_LOCKED),
    )
    expect(counted).toEqual(ended)
  })
})
