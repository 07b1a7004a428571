import { errors } from '../../api/errors.js'
import { type Caller, isAdmin } from '../../auth/caller.js'
import type { Formats } from '../../formats/registry.js'
import type { Metrics } from '../../metrics/metrics.js'
import type { Work } from '../../protocol/work.js'
import { claimsDueAt, type RetentionConfig } from '../issuance/retention.js'
import { assertSubject } from '../issuance/subject.js'
import type { DecidableOffer, DeferredIssuanceStore } from '../openid4vci/deferred/store.js'
import { type CredentialOfferSession, moved } from '../openid4vci/sessions/session.js'

type Subject = Readonly<Record<string, unknown>>

/** A decision about an undecided offer. */
interface Decision {
  readonly session: CredentialOfferSession
  readonly credentialSubject?: Subject | undefined
  /** When the claims are to be erased; absent if they stay, or if a wallet can still take the offer. */
  readonly claimsDueAt?: Date | null
}

type Decide = (offer: DecidableOffer) => Decision | Promise<Decision>

/**
 * The highest number of attempts to store a decision. An attempt fails if a wallet changes the session at the same
 * time.
 */
const ATTEMPTS = 4

const REJECTED = 'The issuer rejected the request.'

function assertUndecided({ session, deferred }: DecidableOffer, now: Date): void {
  if (!deferred) throw errors.offerNotDeferred()
  if (session.deferred === 'approved' || session.deferred === 'rejected') throw errors.offerDecided(session.deferred)
  if (session.state === 'Error' || session.expiresAt <= now) throw errors.offerEnded()
}

/** Dependencies of {@link createDecisions}. */
export interface DecisionsPorts {
  readonly store: Pick<DeferredIssuanceStore, 'decidable' | 'decide'>
  readonly metrics: Pick<Metrics, 'offerSession'>
  readonly formats: Pick<Formats, 'issued'>
  readonly config: RetentionConfig
  readonly clock: () => Date
}

export type Decisions = ReturnType<typeof createDecisions>

/** The issuer's decisions about deferred offers. */
export function createDecisions({ store, metrics, formats, config, clock }: DecisionsPorts) {
  const decide = async (caller: Caller, id: string, decision: Decide): Promise<CredentialOfferSession> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const now = clock()
      const offer = await store.decidable(id, { sub: caller.sub, isAdmin: isAdmin(caller) })
      if (offer === undefined) throw errors.credentialOfferSessionNotFound()
      assertUndecided(offer, now)
      const { session, credentialSubject, claimsDueAt: due = null } = await decision(offer)
      if (await store.decide({ session, credentialSubject, actor: caller.sub, claimsDueAt: due, now })) return session
    }
    throw errors.offerSessionChanged()
  }

  return {
    /**
     * Approves a deferred offer: its wallet gets the credentials. A `credentialSubject` replaces the offered claims.
     *
     * @throws 400 for claims that the schema does not allow, 409 if the offer can no longer be decided, 500 for an unknown
     *   session, or a session of another caller
     */
    async approve(
      caller: Caller,
      { id, credentialSubject }: { readonly id: string; readonly credentialSubject?: Subject | undefined },
      work: Work,
    ): Promise<CredentialOfferSession> {
      const approved = await decide(caller, id, async ({ session, schema }) => {
        if (credentialSubject !== undefined)
          await assertSubject(formats, schema, credentialSubject, 'credentialSubject', work)
        return { session: { ...session, deferred: 'approved', seq: session.seq + 1 }, credentialSubject }
      })
      metrics.offerSession('approved')
      return approved
    },

    /**
     * Rejects a deferred offer: its session ends, and its wallet gets an error. The redemption stays counted.
     *
     * @throws as `approve` does.
     */
    async reject(
      caller: Caller,
      { id, reason }: { readonly id: string; readonly reason?: string | undefined },
    ): Promise<CredentialOfferSession> {
      const rejected = await decide(caller, id, ({ session, schema }) => ({
        session: { ...moved(session, 'Error', reason ?? REJECTED), deferred: 'rejected' },
        claimsDueAt: claimsDueAt(schema, config, clock()),
      }))
      metrics.offerSession('rejected')
      return rejected
    },
  }
}
