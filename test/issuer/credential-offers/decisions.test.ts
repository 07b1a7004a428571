import { describe, expect, it, vi } from 'vitest'
import { standardFormats } from '../../../server/formats/registry.js'
import { createDecisions } from '../../../server/issuer/credential-offers/decide.js'
import type { DecidableOffer } from '../../../server/issuer/openid4vci/deferred/store.js'
import { Work } from '../../../server/protocol/work.js'

const NOW = new Date('2026-03-01T12:00:00Z')
const ALICE = {
  caller: { sub: 'alice', roles: new Set(['admin']), tokenDids: [] },
  reach: { sub: 'alice', isAll: true },
}

type Session = DecidableOffer['session']

/** Makes an offer that waits for a decision. `changes` replace its members. */
function offer(session: Partial<Session> = {}, deferred = true): DecidableOffer {
  const open = { id: 'session', state: 'CredentialIssued', seq: 4, deferred: 'pending', errorMessage: null }
  const schema = {
    name: 'Diploma',
    body: { type: 'object', properties: { degree: { type: 'string' } }, required: ['degree'] },
    selectivelyDisclosable: null,
    mdoc: null,
    retention: null,
  }
  const expiresAt = new Date(NOW.getTime() + 1)
  return { session: { ...open, expiresAt, ...session }, deferred, schema } as unknown as DecidableOffer
}

/** Makes `decisions` with a store that returns the given offers one after the other. The last offer repeats. */
function deciding(found: readonly (DecidableOffer | undefined)[], decided: readonly boolean[] = [true]) {
  const finds = [...found]
  const outcomes = [...decided]
  const store = {
    decidable: vi.fn(async () => (finds.length > 1 ? finds.shift() : finds[0])),
    undecided: vi.fn(async () => []),
    decide: vi.fn(async () => (outcomes.length > 1 ? outcomes.shift() : outcomes[0]) === true),
  }
  const offerSession = vi.fn()
  const decisions = createDecisions({
    store,
    metrics: { offerSession },
    formats: standardFormats,
    config: { retentionClaimsDays: undefined },
    clock: () => NOW,
  })
  return { decisions, store, offerSession }
}

const work = () => new Work(1_000_000)

describe('a decision about a deferred offer', () => {
  it.each<[string, DecidableOffer | undefined, number]>([
    ['an unknown session, or the session of another caller', undefined, 500],
    ['an offer that is not deferred', offer({}, false), 409],
    ['one that is approved', offer({ deferred: 'approved' }), 409],
    ['one that is rejected', offer({ deferred: 'rejected', state: 'Error' }), 409],
    ['an offer whose session has failed', offer({ state: 'Error' }), 409],
    ['an offer that expires at this moment', offer({ expiresAt: NOW }), 409],
  ])('is refused for %s, and is not counted', async (_, found, status) => {
    const { decisions, store, offerSession } = deciding([found])
    await expect(decisions.approve(ALICE, { id: 'session' }, work())).rejects.toMatchObject({ status })
    await expect(decisions.reject(ALICE, { id: 'session' })).rejects.toMatchObject({ status })
    expect(store.decide).not.toHaveBeenCalled()
    expect(offerSession).not.toHaveBeenCalled()
  })

  it('records its caller, also an admin, and counts once', async () => {
    const { decisions, store, offerSession } = deciding([offer()])
    await expect(decisions.reject(ALICE, { id: 'session', reason: 'Not enrolled.' })).resolves.toMatchObject({
      state: 'Error',
      seq: 5,
      deferred: 'rejected',
      errorMessage: 'Not enrolled.',
    })
    expect(store.decidable).toHaveBeenCalledWith('session', undefined)
    expect(store.decide).toHaveBeenCalledWith(expect.objectContaining({ actor: 'alice', now: NOW }))
    expect(offerSession.mock.calls).toEqual([['rejected']])
  })

  it('is repeated if the wallet changes the session meanwhile, and loses no event', async () => {
    const { decisions, store } = deciding([offer(), offer({ seq: 7 })], [false, true])
    await expect(decisions.approve(ALICE, { id: 'session' }, work())).resolves.toMatchObject({ seq: 8 })
    expect(store.decide).toHaveBeenCalledTimes(2)
  })

  it('is not repeated again after the session has changed four times', async () => {
    const { decisions, store, offerSession } = deciding([offer()], [false])
    await expect(decisions.approve(ALICE, { id: 'session' }, work())).rejects.toMatchObject({ status: 409 })
    expect(store.decide).toHaveBeenCalledTimes(4)
    expect(offerSession).not.toHaveBeenCalled()
  })

  it('with other claims is refused if the schema does not allow them', async () => {
    const { decisions, store } = deciding([offer()])
    const decide = (credentialSubject: Record<string, unknown>) =>
      decisions.approve(ALICE, { id: 'session', credentialSubject }, work())
    await expect(decide({ degree: 1 })).rejects.toMatchObject({
      status: 400,
      messages: [expect.stringMatching(/^credentialSubject\.degree /)],
    })
    expect(store.decide).not.toHaveBeenCalled()
    await decide({ degree: 'MSc' })
    expect(store.decide).toHaveBeenCalledWith(expect.objectContaining({ credentialSubject: { degree: 'MSc' } }))
  })
})
