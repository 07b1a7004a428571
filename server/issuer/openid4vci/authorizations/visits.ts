import type { RequestFacts } from '../../../api/context.js'
import type { Config } from '../../../config/config.js'
import { sha256 } from '../../../keys/secret-hash.js'
import type { Vault } from '../../../keys/vault.js'
import { browserCookie, readBrowserCookie } from '../../../pages/browser-cookie.js'
import { DECISION_SECONDS, type UsersAuthorization } from './authorization.js'
import { openedForUser } from './parameters.js'
import type { AuthorizationStore } from './store.js'

/** The name of the cookie that binds a browser to an authorization. */
const BROWSER_COOKIE = 'authorization'

/** The parts of a browser's request that the pages read. */
export type BrowserRequest = Pick<RequestFacts, 'headers' | 'method' | 'requestId'>

/** An authorization that its own browser has opened. */
export interface Visited {
  readonly authorization: UsersAuthorization
  readonly browserHash: string
  /** An unfinished sign-in, encrypted by the vault. */
  readonly login: string | null
}

/** Dependencies of {@link createVisits}. */
export interface VisitsPorts {
  readonly authorizations: Pick<AuthorizationStore, 'find'>
  readonly config: Pick<Config, 'issuerBaseUrl'>
  readonly vault: Pick<Vault, 'reveal'>
  readonly random: (length: number) => Uint8Array
  readonly clock: () => Date
}

export type Visits = ReturnType<typeof createVisits>

/** Binds authorizations to browsers by a cookie. */
export function createVisits({ authorizations, config, vault, random, clock }: VisitsPorts) {
  const cookieOf = ({ headers }: BrowserRequest): string | undefined =>
    readBrowserCookie(headers.cookie, BROWSER_COOKIE, config.issuerBaseUrl)

  /** The hash of the cookie that a browser sends; undefined for a browser without a cookie. */
  const browserHashOf = (request: BrowserRequest): string | undefined => {
    const cookie = cookieOf(request)
    return cookie === undefined ? undefined : sha256(cookie)
  }

  return {
    browserHashOf,

    /** The browser's cookie, or a new cookie, and the hash of the cookie. */
    browserOf(request: BrowserRequest) {
      const value = cookieOf(request) ?? Buffer.from(random(32)).toString('base64url')
      return {
        hash: sha256(value),
        cookie: browserCookie(BROWSER_COOKIE, value, DECISION_SECONDS, config.issuerBaseUrl),
      }
    },

    /** The authorization with an id; undefined if the request comes from another browser. */
    async visited(request: BrowserRequest, id: string): Promise<Visited | undefined> {
      const browserHash = browserHashOf(request)
      if (browserHash === undefined) return undefined
      const stored = await authorizations.find(id, browserHash)
      if (stored === undefined || stored.expiresAt <= clock()) return undefined
      return { authorization: await openedForUser(vault, stored), browserHash, login: stored.login }
    },
  }
}
