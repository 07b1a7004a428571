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

/** What {@link createKeepUser} is made of. */
export interface KeepUserPorts {
  readonly authorizations: Pick<AuthorizationStore, 'signIn'>
  readonly requestedContexts: RequestedOffers['requestedContexts']
  readonly config: { readonly oidc: Pick<Config['oidc'], 'didClaim'> }
  readonly vault: Pick<Vault, 'protect'>
  readonly clock: () => Date
}

/** Keeps who signed in, and of their claims what their decision needs. */
export type KeepUser = (visited: Visited, claims: UserClaims) => Promise<void>

export const createKeepUser =
  ({ authorizations, requestedContexts, config, vault, clock }: KeepUserPorts): KeepUser =>
  async ({ authorization, browserHash }, claims) => {
    const { id, offeringId, request } = authorization
    const contexts = offeringId === null ? await requestedContexts(request) : []
    await authorizations.signIn({
      id,
      browserHash,
      user: { sub: claims.sub, dids: didsIn(claims[config.oidc.didClaim]) },
      userClaims: await protectClaims(vault, id, providedClaims(contexts, claims)),
      now: clock(),
    })
  }

const REFUSALS = {
  refused: new OAuthError('access_denied', 'The user did not sign in.'),
  failed: new OAuthError('access_denied', 'The user could not be signed in.'),
  unavailable: new OAuthError('temporarily_unavailable', 'The identity provider cannot be used at the moment.'),
} as const

/** What {@link createUserLogin} is made of. */
export interface UserLoginPorts {
  /** Undefined where nobody can sign in. */
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
   * What a failed sign-in leads to. While the provider is away nothing is decided: the request can be opened again. Everything
   * else ends the authorization.
   */
  const refused = async ({ requestId }: BrowserRequest, found: Visited, thrown: unknown): Promise<ProtocolReply> => {
    if (!(thrown instanceof SignInError)) throw thrown
    log.warn({ requestId, err: thrown }, 'sign-in failed')
    const refusal = REFUSALS[thrown.failure]
    return thrown.failure === 'unavailable'
      ? replies.refuseWallet(found.authorization.request, refusal)
      : deny(found, refusal)
  }

  return {
    /**
     * Sends a browser to the identity provider. Windows of one browser share one sign-in, so that whichever is used counts.
     * Where the provider is away, the wallet gets `temporarily_unavailable`.
     */
    async beginLogin(request: BrowserRequest, found: Visited): Promise<ProtocolReply> {
      const { id } = found.authorization
      if (signIn === undefined) return replies.notFound()
      if (onlyLooks(request)) return LOOKED_AT
      const login = await logins.begin(id, found.browserHash)
      // It has just been ended in another window, whose page says how.
      if (login === undefined) return replies.toPage(id)
      try {
        return seeOther((await signIn.addressFor(login, callback())).href)
      } catch (thrown) {
        return refused(request, found, thrown)
      }
    },

    /**
     * Ends a sign-in: the provider sent the browser back. It must be the browser that began, with the `state` of its sign-in;
     * an answer counts once. What the user refused there is `access_denied` for the wallet.
     */
    async endLogin(request: BrowserRequest, sent: LoginAnswer): Promise<ProtocolReply> {
      const [id = ''] = (sent.state ?? '').split('.', 1)
      const found = await visited(request, id)
      if (found === undefined) return replies.notFound()
      // Another window was faster, or is about to be.
      if (found.authorization.state !== 'Started' || found.login === null) return replies.toPage(id)
      if (signIn === undefined) return replies.notFound()
      const login = await logins.opened(id, found.login)
      if (!isStateOf(login, sent.state ?? '')) return replies.otherLogin()
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
