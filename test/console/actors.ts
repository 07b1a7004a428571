import { type OpenidProvider, startOpenidProvider } from '../support/openid-provider.js'
import { query } from '../support/postgres.js'
import {
  type Answer,
  type RequestOptions,
  type ServiceOptions,
  startService,
  type TestService,
} from '../support/service.js'

/** Headers of a request from a page of the console. */
export const OF_CONSOLE = { 'x-console': '1', 'sec-fetch-site': 'same-origin' }

export interface ConsoleService extends AsyncDisposable {
  readonly service: TestService
  readonly provider: OpenidProvider
}

/** Variables of a service whose users sign in at a provider. */
export const envOf = (provider: OpenidProvider) => ({ ...provider.env(), OIDC_JWKS_URL: `${provider.issuer}/jwks` })

/** A service, and the provider at which its users log in: JWTs with roles, and refresh tokens. */
export async function startConsole(options: ServiceOptions = {}): Promise<ConsoleService> {
  const provider = await startOpenidProvider()
  Object.assign(provider, { jwt: true, refreshTokens: true, user: { sub: 'alice', name: 'Alice', roles: ['admin'] } })
  const service = await startService({ ...options, env: { ...envOf(provider), ...options.env } })
  await provider.register(service.url)
  return {
    service,
    provider,
    [Symbol.asyncDispose]: async () => {
      await service.close()
      await provider.close()
    },
  }
}

/** A minimal browser. It keeps cookies by host and port, and follows redirects one at a time. */
export class Browser {
  readonly #jars = new Map<string, Map<string, string>>()
  /** Every Set-Cookie header that the browser received. */
  readonly setCookies: string[] = []

  jar(url: string): Map<string, string> {
    const { origin } = new URL(url)
    const jar = this.#jars.get(origin) ?? new Map<string, string>()
    this.#jars.set(origin, jar)
    return jar
  }

  cookies(url: string): string {
    return [...this.jar(url)].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Opens an address, without following its redirect. */
  async open(url: string): Promise<Response> {
    const response = await fetch(url, { redirect: 'manual', headers: { cookie: this.cookies(url) } })
    const jar = this.jar(url)
    for (const set of response.headers.getSetCookie()) {
      this.setCookies.push(set)
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '' || /Max-Age=0|expires=Thu, 01 Jan 1970/i.test(set)) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  /** Follows redirects until an address begins with this text. Does not open this address. */
  async followTo(url: string, prefix: string): Promise<string> {
    let at = url
    while (!at.startsWith(prefix)) {
      const { status, headers } = await this.open(at)
      const location = headers.get('location')
      if (location === null) throw new Error(`${at} answers ${status} and leads nowhere.`)
      at = new URL(location, at).href
    }
    return at
  }
}

export interface LoggedIn {
  readonly browser: Browser
  /** The address with which the provider ended the login. */
  readonly callback: string
  readonly answer: Response
}

/** Logs in as the provider's user. */
export async function logIn(
  { service }: Pick<ConsoleService, 'service'>,
  path = '',
  browser = new Browser(),
): Promise<LoggedIn> {
  const callback = await browser.followTo(`${service.url}/console/login${path}`, `${service.url}/console/callback`)
  return { browser, callback, answer: await browser.open(callback) }
}

/** Sends a request as a page of the console does in a browser. */
export function ask(
  service: TestService,
  browser: Browser,
  method: string,
  path: string,
  { headers, ...options }: RequestOptions = {},
): Promise<Answer> {
  return service.request(method, path, {
    ...options,
    headers: { ...OF_CONSOLE, cookie: browser.cookies(service.url), ...headers },
  })
}

export interface SessionRow {
  readonly id_hash: string
  readonly content: string
  readonly last_seen_at: Date
  readonly expires_at: Date
  readonly ends_at: Date
}

/** Reads the stored sessions. */
export const sessionRows = ({ databaseUrl }: TestService): Promise<SessionRow[]> =>
  query<SessionRow>(databaseUrl, 'SELECT * FROM console_sessions ORDER BY last_seen_at')
