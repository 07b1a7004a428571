import { errors, ServiceError } from '../../api/errors.js'
import type { Caller } from '../../auth/caller.js'
import { creatorIn, type Reach } from '../../auth/rights.js'
import type { Formats } from '../../formats/registry.js'
import type { Metrics } from '../../metrics/metrics.js'
import { type Names, namesView } from '../../names/names.js'
import type { Work } from '../../protocol/work.js'
import { claimsDueAt, type RetentionConfig } from '../issuance/retention.js'
import { assertSubject } from '../issuance/subject.js'
import type { DecidableOffer, DeferredIssuanceStore } from '../openid4vci/deferred/store.js'
import { type CredentialOfferSession, moved } from '../openid4vci/sessions/session.js'
import type { Sender } from './reach.js'

type Subject = Readonly<Record<string, unknown>>

/** A decision about an undecided offer. */
interface Decision {
  readonly session: CredentialOfferSession
  readonly credentialSubject?: Subject | undefined
  /** When the claims are to be erased; absent if they stay, or if a wallet can still take the offer. */
  readonly claimsDueAt?: Date | null
}

/** The user who decides, and the offers that the user reaches. */
export interface Decider {
  readonly caller: Caller
  readonly reach: Reach
}

type Decide = (offer: DecidableOffer) => Decision | Promise<Decision>

/**
 * The highest number of attempts to store a decision. An attempt fails if a wallet changes the session at the same
 * time.
 */
const ATTEMPTS = 4

/** Number of offers that are decided at the same time. */
const DECIDED_AT_ONCE = 5

/** A deferred offer as a person who may decide about it sees it. */
export interface Undecided extends Names {
  readonly credentialSubject: Record<string, unknown>
}

export interface ManyDecisions {
  readonly decision: 'approve' | 'reject'
  readonly ids: readonly string[]
  readonly reason?: string | undefined
}

/** The outcome for one of many offers. */
export interface Outcome {
  readonly id: string
  readonly outcome: 'approved' | 'rejected' | 'failed'
  readonly message?: string
}

const REJECTED = 'The issuer rejected the request.'

function assertUndecided({ session, deferred }: DecidableOffer, now: Date): void {
  if (!deferred) throw errors.offerNotDeferred()
  if (session.deferred === 'approved' || session.deferred === 'rejected') throw errors.offerDecided(session.deferred)
  if (session.state === 'Error' || session.expiresAt <= now) throw errors.offerEnded()
}

/** Dependencies of {@link createDecisions}. */
export interface DecisionsPorts {
  readonly store: Pick<DeferredIssuanceStore, 'decidable' | 'decide' | 'undecided'>
  readonly metrics: Pick<Metrics, 'offerSession'>
  readonly formats: Pick<Formats, 'issued'>
  readonly config: RetentionConfig
  readonly clock: () => Date
}

/** A session after a decision, with the names of its offer. */
export type DecidedSession = CredentialOfferSession & { readonly names: Names | null }

export type Decisions = ReturnType<typeof createDecisions>

/** The issuer's decisions about deferred offers. */
export function createDecisions({ store, metrics, formats, config, clock }: DecisionsPorts) {
  const decide = async ({ caller, reach }: Decider, id: string, decision: Decide): Promise<DecidedSession> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const now = clock()
      const offer = await store.decidable(id, creatorIn(reach))
      if (offer === undefined) throw errors.credentialOfferSessionNotFound()
      assertUndecided(offer, now)
      const { session, credentialSubject, claimsDueAt: due = null } = await decision(offer)
      if (await store.decide({ session, credentialSubject, actor: caller.sub, claimsDueAt: due, now }))
        return { ...session, names: offer.names }
    }
    throw errors.offerSessionChanged()
  }

  const decisions = {
    /**
     * The claims and names of the deferred offers among some ids that are not decided yet, and that the caller may decide.
     *
     * @param sender the client secret decides nothing
     */
    async undecided({ caller, reach }: Sender, ids: readonly string[]): Promise<ReadonlyMap<string, Undecided>> {
      if (caller === undefined || ids.length === 0) return new Map()
      const offers = await store.undecided(ids, creatorIn(reach))
      return new Map(
        offers.map(({ id, credentialSubject, names }) => [
          id,
          { credentialSubject: { ...credentialSubject }, ...namesView(names) },
        ]),
      )
    },

    /**
     * Approves a deferred offer: its wallet gets the credentials. A `credentialSubject` replaces the offered claims.
     *
     * @throws 400 for claims that the schema does not allow, 409 if the offer can no longer be decided, 500 for an unknown
     *   session, or a session that the decider does not reach
     */
    async approve(
      by: Decider,
      { id, credentialSubject }: { readonly id: string; readonly credentialSubject?: Subject | undefined },
      work: Work,
    ): Promise<DecidedSession> {
      const approved = await decide(by, id, async ({ session, claimsAtIssuance, schema }) => {
        if (claimsAtIssuance && credentialSubject === undefined)
          throw errors.badRequest('credentialSubject must be given: the offer has no claims yet')
        if (credentialSubject !== undefined)
          await assertSubject(formats, schema, credentialSubject, 'credentialSubject', work)
        const approval = { deferred: 'approved', errorMessage: null, seq: session.seq + 1 } as const
        return { session: { ...session, ...approval }, credentialSubject }
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
      by: Decider,
      { id, reason }: { readonly id: string; readonly reason?: string | undefined },
    ): Promise<DecidedSession> {
      const rejected = await decide(by, id, ({ session, schema }) => ({
        session: { ...moved(session, 'Error', reason ?? REJECTED), deferred: 'rejected' },
        claimsDueAt: claimsDueAt(schema, config, clock()),
      }))
      metrics.offerSession('rejected')
      return rejected
    },

    /** Decides about many offers, each by itself, a few at the same time. */
    async decideMany(
      decider: Decider,
      { decision, ids, reason }: ManyDecisions,
      work: Work,
    ): Promise<readonly Outcome[]> {
      const outcomeOf = async (id: string): Promise<Outcome> => {
        try {
          if (decision === 'approve') await decisions.approve(decider, { id }, work)
          else await decisions.reject(decider, { id, reason })
          return { id, outcome: decision === 'approve' ? 'approved' : 'rejected' }
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error
          return { id, outcome: 'failed', message: error.message }
        }
      }
      const outcomes: Outcome[] = []
      for (let at = 0; at < ids.length; at += DECIDED_AT_ONCE)
        outcomes.push(...(await Promise.all(ids.slice(at, at + DECIDED_AT_ONCE).map(outcomeOf))))
      return outcomes
    },
  }
  return decisions
}
