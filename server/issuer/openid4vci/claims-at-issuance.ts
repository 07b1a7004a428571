import type { Vault } from '../../keys/vault.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { Work } from '../../protocol/work.js'
import type { AskSource } from '../claims-source/ask.js'
import { openedClaims } from './authorizations/parameters.js'
import { isDraft } from './profiles/profiles.js'
import type { OfferSessionStore } from './sessions/store.js'
import type { TokenContext } from './tokens/store.js'
import { denied } from './wallet-issuance.js'

type Subject = Readonly<Record<string, unknown>>

/** Seconds after which a wallet should try again if the claims cannot be read now. */
const RETRY_SECONDS = 30

const unavailable = () =>
  new OAuthError(
    'temporarily_unavailable',
    'The claims of the credential cannot be read at the moment. Try again later.',
    {
      status: 503,
      headers: { 'retry-after': String(RETRY_SECONDS) },
    },
  )

const unknownPerson = () => new OAuthError('access_denied', 'The issuer knows no credential for this person.')

const refused = () => denied('The claims of the issuer are not enough for this credential.')

/**
 * Whether a wallet may wait for its first credential (OpenID4VCI 1.0 §9). A decision about it needs a session, and later
 * requests of the wallet need an authorization.
 */
const mayWait = ({ session, authorizationExpiresAt, credentialId, profile }: TokenContext): boolean =>
  session !== null && authorizationExpiresAt !== null && credentialId === null && !isDraft(profile)

/** Dependencies of {@link createClaimsAtIssuance}. */
export interface ClaimsAtIssuancePorts {
  readonly ask: AskSource
  readonly vault: Pick<Vault, 'reveal'>
  readonly sessions: Pick<OfferSessionStore, 'noteProblem'>
  readonly clock: () => Date
}

/**
 * Asks the claims source for the claims of a wallet's credential. Nothing is stored, counted or signed here.
 *
 * @param work the budget for the check of the claims
 * @returns the claims; `later` if the wallet has to wait
 * @throws OAuthError `access_denied` if the source does not know the person, `credential_request_denied` for claims that the
 *   schema refuses, 503 `temporarily_unavailable` if there is no answer and the wallet cannot wait
 */
export type ClaimsAtIssuance = (token: TokenContext, configurationId: string, work: Work) => Promise<Subject | 'later'>

export function createClaimsAtIssuance({ ask, vault, sessions, clock }: ClaimsAtIssuancePorts): ClaimsAtIssuance {
  const signInOf = async ({ authorizationId, userClaims }: TokenContext): Promise<Subject | undefined> =>
    authorizationId === null || userClaims === null
      ? undefined
      : (await openedClaims(vault, authorizationId, userClaims)).signIn

  return async (token, configurationId, work) => {
    const { session, userSub, forSubject, names } = token
    const answer = await ask(
      token,
      {
        subject: userSub ?? forSubject ?? undefined,
        reference: names?.reference,
        label: names?.label,
        credentialConfigurationIds: [configurationId],
        credentialOfferSessionId: session?.id,
        signIn: await signInOf(token),
      },
      work,
    )
    if (answer.kind === 'claims') return answer.credentialSubject
    if (answer.kind === 'unknown') throw unknownPerson()
    if (answer.kind === 'refused') {
      if (session !== null) await sessions.noteProblem(session.id, answer.problems.join('; '), clock())
      throw refused()
    }
    if (answer.kind === 'busy' || !mayWait(token)) throw unavailable()
    return 'later'
  }
}
