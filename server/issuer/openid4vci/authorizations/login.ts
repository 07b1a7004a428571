import { z } from 'zod'
import { type Context, onlyLooks } from '../../../api/context.js'
import { didsIn } from '../../../auth/bearer.js'
import {
  answerAt,
  isStateOf,
  type Login,
  type LoginAnswer,
  newLogin,
  SignInError,
  type UserClaims,
} from '../../../auth/sign-in.js'
import type { Deps } from '../../../deps.js'
import { messagePage, seeOther } from '../../../pages/page.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import type { ProtocolReply } from '../../../protocol/oauth/reply.js'
import { LOOKED_AT, refuseWallet, toPage } from './authorize.js'
import { protectClaims } from './parameters.js'
import { providedClaims } from './provided-claims.js'
import { decided, notFound, type Visited, visited } from './visited.js'

const zLogin = z.strictObject({ state: z.string(), nonce: z.string(), verifier: z.string() })

const placeOf = (id: string) => ({ column: 'authorizations.login', id }) as const

const callbackOf = ({ issuerBaseUrl }: Deps['config']): string => `${issuerBaseUrl}/openid4vci/authorize/callback`

const opened = async (deps: Pick<Deps, 'vault'>, id: string, login: string): Promise<Login> =>
  zLogin.parse(JSON.parse(await deps.vault.reveal(placeOf(id), login)))

const REFUSALS = {
  refused: new OAuthError('access_denied', 'The user did not sign in.'),
  failed: new OAuthError('access_denied', 'The user could not be signed in.'),
  unavailable: new OAuthError('temporarily_unavailable', 'The identity provider cannot be used at the moment.'),
} as const

/**
 * What a failed sign-in leads to. While the provider is away nothing is decided: the request can be opened again. Everything
 * else ends the authorization.
 */
async function refused(ctx: Context, found: Visited, thrown: unknown): Promise<ProtocolReply> {
  if (!(thrown instanceof SignInError)) throw thrown
  const { deps, request } = ctx
  const { authorization, browserHash } = found
  deps.log.warn({ requestId: request.requestId, err: thrown }, 'sign-in failed')
  const refusal = refuseWallet(deps, authorization.request, REFUSALS[thrown.failure])
  if (thrown.failure === 'unavailable') return refusal
  return (await deps.stores.decisions.deny(authorization.id, browserHash, deps.clock())) !== undefined
    ? refusal
    : decided(deps)
}

/**
 * Sends a browser to the identity provider. Windows of one browser share one sign-in, so that whichever is used counts.
 * Where the provider is away, the wallet gets `temporarily_unavailable`.
 */
export async function beginLogin(ctx: Context, found: Visited): Promise<ProtocolReply> {
  const { deps } = ctx
  const { id } = found.authorization
  if (deps.signIn === undefined) return notFound(deps)
  if (onlyLooks(ctx.request)) return LOOKED_AT
  const made = newLogin(deps.random, `${id}.`)
  const protectedLogin = await deps.vault.protect(placeOf(id), JSON.stringify(made))
  const kept = await deps.stores.authorizations.beginLogin(id, found.browserHash, protectedLogin, deps.clock())
  // It has just been ended in another window, whose page says how.
  if (kept === undefined) return toPage(deps, id)
  try {
    const address = await deps.signIn.addressFor(await opened(deps, id, kept), callbackOf(deps.config))
    return seeOther(address.href)
  } catch (thrown) {
    return refused(ctx, found, thrown)
  }
}

/** Keeps who signed in, and of their claims what their decision needs. */
async function keepUser(deps: Deps, { authorization, browserHash }: Visited, claims: UserClaims): Promise<void> {
  const { id } = authorization
  await deps.stores.authorizations.signIn({
    id,
    browserHash,
    user: { sub: claims.sub, dids: didsIn(claims[deps.config.oidc.didClaim]) },
    userClaims: await protectClaims(deps, id, await providedClaims(deps, authorization, claims)),
    now: deps.clock(),
  })
}

/**
 * Ends a sign-in: the provider sent the browser back. It must be the browser that began, with the `state` of its sign-in;
 * an answer counts once. What the user refused there is `access_denied` for the wallet.
 */
export async function endLogin(ctx: Context, sent: LoginAnswer): Promise<ProtocolReply> {
  const { deps } = ctx
  const [id = ''] = (sent.state ?? '').split('.', 1)
  const found = await visited(ctx, id)
  if (found === undefined) return notFound(deps)
  // Another window was faster, or is about to be.
  if (found.authorization.state !== 'Started' || found.login === null) return toPage(deps, id)
  if (deps.signIn === undefined) return notFound(deps)
  const login = await opened(deps, id, found.login)
  if (!isStateOf(login, sent.state ?? ''))
    return messagePage(
      deps.config.issuerBaseUrl,
      400,
      'This sign-in cannot be used',
      'Open the request again in your wallet.',
    )
  if (onlyLooks(ctx.request)) return LOOKED_AT
  const { authorizations } = deps.stores
  if (!(await authorizations.takeLogin(id, found.login, deps.clock()))) return toPage(deps, id)
  try {
    await keepUser(deps, found, await deps.signIn.complete(answerAt(callbackOf(deps.config), sent), login))
    return toPage(deps, id)
  } catch (thrown) {
    return refused(ctx, found, thrown)
  }
}
