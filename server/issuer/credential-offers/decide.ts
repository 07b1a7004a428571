import { errors } from '../../api/errors.js'
import { type Caller, isAdmin } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'
import type { Work } from '../../protocol/work.js'
import { assertSubject } from '../issuance/subject.js'
import type { DecidableOffer } from '../openid4vci/deferred/store.js'
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

async function decide(deps: Deps, caller: Caller, id: string, decision: Decide): Promise<CredentialOfferSession> {
  const { deferredIssuances } = deps.stores
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const now = deps.clock()
    const offer = await deferredIssuances.decidable(id, { sub: caller.sub, isAdmin: isAdmin(caller) })
    if (offer === undefined) throw errors.credentialOfferSessionNotFound()
    assertUndecided(offer, now)
    const { session, credentialSubject } = await decision(offer)
    if (await deferredIssuances.decide({ session, credentialSubject, actor: caller.sub, now })) return session
  }
  throw errors.offerSessionChanged()
}

/**
 * Approves a deferred offer: its wallet gets the credentials, with other claims than were offered where there are any here.
 *
 * @throws 400 for claims that the schema does not allow, 409 where there is nothing to decide any more, 500 for an unknown
 * session, which somebody else's is.
 */
export async function approve(
  deps: Deps,
  caller: Caller,
  { id, credentialSubject }: { readonly id: string; readonly credentialSubject?: Subject | undefined },
  work: Work,
): Promise<CredentialOfferSession> {
  const approved = await decide(deps, caller, id, async ({ session, schema }) => {
    if (credentialSubject !== undefined)
      await assertSubject(deps.formats, schema, credentialSubject, 'credentialSubject', work)
    return { session: { ...session, deferred: 'approved', seq: session.seq + 1 }, credentialSubject }
  })
  deps.metrics.offerSession('approved')
  return approved
}

/**
 * Rejects a deferred offer: its session ends, and its wallet is told that it gets nothing. The redemption stays counted.
 *
 * @throws as `approve` does.
 */
export async function reject(
  deps: Deps,
  caller: Caller,
  { id, reason }: { readonly id: string; readonly reason?: string | undefined },
): Promise<CredentialOfferSession> {
  const rejected = await decide(deps, caller, id, ({ session }) => ({
    session: { ...moved(session, 'Error', reason ?? REJECTED), deferred: 'rejected' },
  }))
  deps.metrics.offerSession('rejected')
  return rejected
}
