import { describe, expect, it } from 'vitest'
import { createNotifications } from '../../../server/issuer/openid4vci/notifications.js'
import type { CredentialOfferState } from '../../../server/issuer/openid4vci/sessions/session.js'
import { NOW, storedSession } from './offering-fakes.js'

/**
 * Makes `take` with a session store that changes the session, or comes too late if `moves` is false. Also returns the
 * recorded changes and metrics.
 */
function notificationsWith({ moves = true, named = { offeringId: 'offer', credentialId: 'credential' } } = {}) {
  const moved: unknown[] = []
  const counted: unknown[] = []
  const { take } = createNotifications({
    seals: { openNotificationId: (id) => (id === 'good' ? named : undefined) },
    offerSessions: {
      move: async (...args) => {
        moved.push(args)
        return moves
      },
    },
    metrics: { offerSession: (...args) => counted.push(args) },
    clock: () => NOW,
  })
  return { take, moved, counted }
}

const issued = (state: CredentialOfferState = 'CredentialIssued') => ({
  offeringId: 'offer',
  credentialId: 'credential',
  credentialGood: true,
  session: storedSession({ state, seq: 5 }),
})

const accepted = { notification_id: 'good', event: 'credential_accepted' } as const

describe('a notification (OpenID4VCI 1.0 §11)', () => {
  it.each([
    [accepted, { state: 'Accepted', errorMessage: null }, ['accepted']],
    [
      { ...accepted, event: 'credential_failure' } as const,
      { state: 'Error', errorMessage: 'The wallet could not take the credential.' },
      ['failed', 'credential-failure'],
    ],
    [
      { ...accepted, event: 'credential_deleted', event_description: 'not "mine"' } as const,
      { state: 'Error', errorMessage: "The wallet deleted the credential: not 'mine'" },
      ['failed', 'credential-deleted'],
    ],
  ])('%o changes the session and is counted', async (notification, next, outcome) => {
    const { take, moved, counted } = notificationsWith()
    await take(issued(), notification)
    expect(moved).toEqual([[{ ...issued().session, seq: 6, ...next }, NOW]])
    expect(counted).toEqual([outcome])
  })

  it('keeps 300 characters of a description', async () => {
    const { take, moved } = notificationsWith()
    await take(issued(), { ...accepted, event: 'credential_failure', event_description: 'x'.repeat(400) })
    expect(moved).toEqual([
      [expect.objectContaining({ errorMessage: `The wallet could not take the credential: ${'x'.repeat(300)}` }), NOW],
    ])
  })

  it.each([
    ['of an unknown id', { ...accepted, notification_id: 'forged' }, undefined],
    ['of another offer', accepted, { offeringId: 'another', credentialId: 'credential' }],
    ['of another credential', accepted, { offeringId: 'offer', credentialId: 'another' }],
  ])('%s is refused', async (_, notification, named) => {
    const { take, moved } = notificationsWith(named === undefined ? {} : { named })
    await expect(take(issued(), notification)).rejects.toEqual(
      expect.objectContaining({ error: 'invalid_notification_id' }),
    )
    expect(moved).toEqual([])
  })

  it.each([
    ['of an offering without a session', { ...issued(), session: null }],
    ['of a credential that was revoked', { ...issued(), credentialGood: false }],
    ['before anything was issued', { ...issued(), credentialGood: null }],
    ['of a session that is accepted already', issued('Accepted')],
    ['of a session that has ended', issued('Error')],
  ])('%s is accepted, and changes nothing', async (_, token) => {
    const { take, moved, counted } = notificationsWith()
    await take(token, accepted)
    expect([moved, counted]).toEqual([[], []])
  })

  it('that arrives after another notification is accepted, and not counted', async () => {
    const { take, moved, counted } = notificationsWith({ moves: false })
    await take(issued(), accepted)
    expect(moved).toHaveLength(1)
    expect(counted).toEqual([])
  })
})
