import { isIPv6 } from 'node:net'
import type { Target } from './connect.js'
import { OutboundError } from './outbound-error.js'
import { isPlainPath } from './own-origin.js'

export interface DestinationRules {
  /** True if plain http is allowed in addition to https. */
  readonly allowHttp: boolean
  /** Hosts whose address may be private: `host` or `host:port` (an IPv6 address with a port in brackets). */
  readonly allowedHosts: readonly string[]
  /**
   * Origins of this service. Their addresses may be private, but only the paths that standards define for wallets may
   * be requested.
   */
  readonly ownOrigins: readonly string[]
  /**
   * Checks whether a path of an origin of this service may be requested. The function receives paths without
   * percent-encoding, empty segments and dot segments.
   */
  readonly ownPathAllowed: (path: string) => boolean
}

export interface Destinations {
  /**
   * Checks scheme, user name and, for the service's own origins, the path.
   *
   * @throws {OutboundError} `scheme`, `url` or `own-path`.
   */
  check(url: URL): void
  isOwn(url: URL): boolean
  mayBePrivate(target: Target): boolean
}

interface AllowedHost {
  readonly hostname: string
  /** Undefined if all ports are allowed. */
  readonly port: string | undefined
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

const bracketed = (hostname: string) => (isIPv6(hostname) ? `[${hostname}]` : hostname)

function parseAllowedHost(entry: string): AllowedHost {
  const [, host, port] = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(bracketed(entry)) ?? []
  const base = `http://${host}`
  if (host === undefined || /[/?#@\\]/.test(host) || !URL.canParse(base)) {
    throw new Error(`OUTBOUND_ALLOWED_HOSTS has an entry "${entry}" that is neither host nor host:port.`)
  }
  return { hostname: new URL(base).hostname, port: port === undefined ? undefined : String(Number(port)) }
}

/**
 * Makes the functions that check destinations. @throws {Error} with the entry of `allowedHosts` that is neither host
 * nor host:port.
 */
export function createDestinations(rules: DestinationRules): Destinations {
  const allowed = rules.allowedHosts.map(parseAllowedHost)
  const own = new Set(rules.ownOrigins.map((origin) => new URL(origin).origin))

  const checkScheme = ({ protocol, host }: URL) => {
    if (protocol === 'https:' || (protocol === 'http:' && rules.allowHttp)) return
    throw new OutboundError('scheme', `${host === '' ? 'The address' : host} must be requested over https.`)
  }

  return {
    check(url) {
      checkScheme(url)
      if (url.username !== '' || url.password !== '') {
        throw new OutboundError('url', `The address of ${url.host} must not hold a user name.`)
      }
      if (own.has(url.origin) && !(isPlainPath(url.pathname) && rules.ownPathAllowed(url.pathname))) {
        throw new OutboundError('own-path', `${url.host} is this service itself, whose path may not be requested.`)
      }
    },
    isOwn: (url) => own.has(url.origin),
    mayBePrivate({ protocol, hostname, port }) {
      const effectivePort = port === '' ? DEFAULT_PORTS[protocol] : port
      const host = bracketed(hostname)
      if (own.has(new URL(`${protocol}//${host}:${port}`).origin)) return true
      return allowed.some((entry) => entry.hostname === host && (entry.port ?? effectivePort) === effectivePort)
    },
  }
}
