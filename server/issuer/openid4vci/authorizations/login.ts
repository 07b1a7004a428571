import { onlyLooks } from '../../../api/context.js'
import { didsIn } from '../../../auth/bearer.js'
import {
  answerAt,
  isStateOf,
  type LoginAnswer,
  type SignIn,
  SignInError,
  type UserClaims,
} from '../../../auth/sign-in.js'
import type { Config } from '../../../config/config.js'
import type { Vault } from '../../../keys/vault.js'
import type { Log } from '../../../log/log.js'
import { seeOther } from '../../../pages/page.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import type { ProtocolReply } from '../../../protocol/oauth/reply.js'
import type { Deny } from './deny.js'
import type { KeptLogins } from './kept-logins.js'
import { protectClaims } from './parameters.js'
import { providedClaims } from './provided-claims.js'
import { LOOKED_AT, type Replies } from './replies.js'
import type { RequestedOffers } from './requested-offers.js'
import type { AuthorizationStore } from './store.js'
import type { BrowserRequest, Visited, Visits } from './visits.js'

/** Dependencies of {@link createKeepUser}. */
export interface KeepUserPorts {
  readonly authorizations: Pick<AuthorizationStore, 'signIn'>
  readonly requestedContexts: RequestedOffers['requestedContexts']
  readonly config: { readonly oidc: Pick<Config['oidc'], 'didClaim'> }
  readonly vault: Pick<Vault, 'protect'>
  readonly clock: () => Date
}

/** Stores the user who signed in, and the claims that the decision needs. */
export type KeepUser = (visited: Visited, claims: UserClaims) => Promise<void>

export const createKeepUser =
  ({ authorizations, requestedContexts, config, vault, clock }: KeepUserPorts): KeepUser =>
  async ({ authorization, browserHash }, claims) => {
    const { id, offeringId, claimsAtIssuance, request } = authorization
    const contexts = offeringId === null ? await requestedContexts(request) : []
    await authorizations.signIn({
      id,
      browserHash,
      user: { sub: claims.sub, dids: didsIn(claims[config.oidc.didClaim]) },
      userClaims: await protectClaims(vault, id, providedClaims(contexts, claims, claimsAtIssuance)),
      now: clock(),
    })
  }

const REFUSALS = {
  refused: new OAuthError('access_denied', 'The user did not sign in.'),
  failed: new OAuthError('access_denied', 'The user could not be signed in.'),
  unavailable: new OAuthError('temporarily_unavailable', 'The identity provider cannot be used at the moment.'),
} as const

/** Dependencies of {@link createUserLogin}. */
export interface UserLoginPorts {
  /** Undefined if no identity provider is configured for sign-in. */
  readonly signIn: SignIn | undefined
  readonly logins: KeptLogins
  readonly keepUser: KeepUser
  readonly deny: Deny
  readonly visited: Visits['visited']
  readonly replies: Replies
  readonly config: Pick<Config, 'issuerBaseUrl'>
  readonly log: Pick<Log, 'warn'>
}

export type UserLogin = ReturnType<typeof createUserLogin>

/** Sign-in of the users of authorizations at the identity provider. */
export function createUserLogin({ signIn, logins, keepUser, deny, visited, replies, config, log }: UserLoginPorts) {
  const callback = () => `${config.issuerBaseUrl}/openid4vci/authorize/callback`

  /**
   * Handles a failed sign-in. If the provider is unreachable, nothing is decided and the request can be opened again. Every
   * other failure ends the authorization.
   */
  const refused = async (request: BrowserRequest, found: Visited, thrown: unknown): Promise<ProtocolReply> => {
    if (!(thrown instanceof SignInError)) throw thrown
    log.warn({ requestId: request.requestId, err: thrown }, 'sign-in failed')
    const refusal = REFUSALS[thrown.failure]
    return thrown.failure === 'unavailable'
      ? replies.refuseWallet(found.authorization.request, refusal)
      : deny(request, found, refusal)
  }

  return {
    /**
     * Redirects a browser to the identity provider. All windows of one browser share one sign-in, so the user can finish it in
     * any window. If the provider is unreachable, the wallet gets `temporarily_unavailable`.
     */
    async beginLogin(request: BrowserRequest, found: Visited): Promise<ProtocolReply> {
      const { id } = found.authorization
      if (signIn === undefined) return replies.notFound(request)
      if (onlyLooks(request)) return LOOKED_AT
      const login = await logins.begin(id, found.browserHash)
      // Another window has just ended the sign-in. The page shows the outcome.
      if (login === undefined) return replies.toPage(id)
      try {
        return seeOther((await signIn.addressFor(login, callback())).href)
      } catch (thrown) {
        return refused(request, found, thrown)
      }
    },

    /**
     * Ends a sign-in after the provider redirected the browser back. The request must come from the browser that began the
     * sign-in, with its `state`. An answer counts once. If the user refused to sign in, the wallet gets `access_denied`.
     */
    async endLogin(request: BrowserRequest, sent: LoginAnswer): Promise<ProtocolReply> {
      const [id = ''] = (sent.state ?? '').split('.', 1)
      const found = await visited(request, id)
      if (found === undefined) return replies.notFound(request)
      // Another window has ended the sign-in, or is ending it now.
      if (found.authorization.state !== 'Started' || found.login === null) return replies.toPage(id)
      if (signIn === undefined) return replies.notFound(request)
      const login = await logins.opened(id, found.login)
      if (!isStateOf(login, sent.state ?? '')) return replies.otherLogin(request)
      if (onlyLooks(request)) return LOOKED_AT
      if (!(await logins.take(id, found.login))) return replies.toPage(id)
      try {
        await keepUser(found, await signIn.complete(answerAt(callback(), sent), login))
        return replies.toPage(id)
      } catch (thrown) {
        return refused(request, found, thrown)
      }
    },
  }
}
