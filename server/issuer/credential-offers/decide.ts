import { errors } from '../../api/errors.js'
import { type Caller, isAdmin } from '../../auth/caller.js'
import type { Formats } from '../../formats/registry.js'
import type { Metrics } from '../../metrics/metrics.js'
import type { Work } from '../../protocol/work.js'
import { assertSubject } from '../issuance/subject.js'
import type { DecidableOffer, DeferredIssuanceStore } from '../openid4vci/deferred/store.js'
import { type CredentialOfferSession, moved } from '../openid4vci/sessions/session.js'

type Subject = Readonly<Record<string, unknown>>

/** A decision over an offer that can still be decided over. */
interface Decision {
  readonly session: CredentialOfferSession
  readonly credentialSubject?: Subject | undefined
}

type Decide = (offer: DecidableOffer) => Decision | Promise<Decision>

/** A wallet may move the session on while somebody decides, which it does a few times at most. */
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
  readonly clock: () => Date
}

export type Decisions = ReturnType<typeof createDecisions>

/** Decisions over deferred offers, whose wallets wait for them. */
export function createDecisions({ store, metrics, formats, clock }: DecisionsPorts) {
  const decide = async (caller: Caller, id: string, decision: Decide): Promise<CredentialOfferSession> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const now = clock()
      const offer = await store.decidable(id, { sub: caller.sub, isAdmin: isAdmin(caller) })
      if (offer === undefined) throw errors.credentialOfferSessionNotFound()
      assertUndecided(offer, now)
      const { session, credentialSubject } = await decision(offer)
      if (await store.decide({ session, credentialSubject, actor: caller.sub, now })) return session
    }
    throw errors.offerSessionChanged()
  }

  return {
    /**
     * Approves a deferred offer: its wallet gets the credentials, with other claims than were offered where there are any here.
     *
     * @throws 400 for claims that the schema does not allow, 409 where there is nothing to decide any more, 500 for an unknown
     * session, which somebody else's is.
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
     * Rejects a deferred offer: its session ends, and its wallet is told that it gets nothing. The redemption stays counted.
     *
     * @throws as `approve` does.
     */
    async reject(
      caller: Caller,
      { id, reason }: { readonly id: string; readonly reason?: string | undefined },
    ): Promise<CredentialOfferSession> {
      const rejected = await decide(caller, id, ({ session }) => ({
        session: { ...moved(session, 'Error', reason ?? REJECTED), deferred: 'rejected' },
      }))
      metrics.offerSession('rejected')
      return rejected
    },
  }
}
