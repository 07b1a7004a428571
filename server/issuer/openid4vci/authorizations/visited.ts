import type { Context } from '../../../api/context.js'
import type { Deps } from '../../../deps.js'
import { sha256 } from '../../../keys/secret-hash.js'
import { readBrowserCookie } from '../../../pages/browser-cookie.js'
import { messagePage } from '../../../pages/page.js'
import type { ProtocolReply } from '../../../protocol/oauth/reply.js'
import type { UsersAuthorization } from './authorization.js'
import { BROWSER_COOKIE } from './authorize.js'
import { openedForUser } from './parameters.js'

/** An authorization as the browser that it belongs to meets it. */
export interface Visited {
  readonly authorization: UsersAuthorization
  readonly browserHash: string
  /** A sign-in under way, as the vault protects it. */
  readonly login: string | null
}

/** The hash of the cookie that a browser sends; undefined where it sends none. */
export function browserHashOf({ deps, request }: Context): string | undefined {
  const cookie = readBrowserCookie(request.headers.cookie, BROWSER_COOKIE, deps.config.issuerBaseUrl)
  return cookie === undefined ? undefined : sha256(cookie)
}

/** The authorization with an id; undefined unless the request comes from the browser that it belongs to. */
export async function visited(ctx: Context, id: string): Promise<Visited | undefined> {
  const { deps } = ctx
  const browserHash = browserHashOf(ctx)
  if (browserHash === undefined) return undefined
  const stored = await deps.stores.authorizations.find(id, browserHash)
  if (stored === undefined || stored.expiresAt <= deps.clock()) return undefined
  return { authorization: await openedForUser(deps, stored), browserHash, login: stored.login }
}

/** The page where there is no authorization for this browser. */
export const notFound = ({ config }: Pick<Deps, 'config'>): ProtocolReply =>
  messagePage(
    config.issuerBaseUrl,
    404,
    'There is nothing here',
    'This page is unknown, has ended, or was opened in another browser.',
  )

/** The page after a decision. */
export const decided = ({ config }: Pick<Deps, 'config'>): ProtocolReply =>
  messagePage(
    config.issuerBaseUrl,
    409,
    'This has been decided',
    'A decision was made already, perhaps in another window. Go on in your wallet.',
  )
