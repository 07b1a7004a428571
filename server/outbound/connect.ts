import type { LookupAddress } from 'node:dns'
import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { isLocalhostName, isPublicAddress } from './address.js'
import { OutboundError } from './outbound-error.js'

/** Resolves a host name to all its addresses. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>

/** The target of a new connection, in the HTTP client's form: `hostname` without brackets, `port` empty for the default port. */
export type Target = Pick<buildConnector.Options, 'protocol' | 'hostname' | 'port'>

export interface ConnectRules {
  /** True if the target may be reached although its address is private. */
  readonly mayBePrivate: (target: Target) => boolean
  /** Milliseconds for name resolution, TCP and TLS together. */
  readonly timeoutMs: number
  /** The resolver of the machine unless given. */
  readonly lookup?: Lookup | undefined
  readonly isPublicAddress?: ((address: string) => boolean) | undefined
  /** PEM; replaces the machine's trust anchors. */
  readonly ca?: string | undefined
}

const resolveAll: Lookup = (hostname) => systemLookup(hostname, { all: true })

const notPublic = (hostname: string) =>
  new OutboundError('address', `${hostname} has an address that is not public, so it may not be requested.`)

/**
 * The resolver of a socket. The socket resolves once, and the checked answer is the answer that it uses. A second answer (DNS
 * rebinding) therefore cannot replace it. If one of several addresses is private, all of them are refused.
 */
function socketLookup(lookup: Lookup, admits: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    const settle = (addresses: readonly LookupAddress[]) => {
      const [first] = addresses
      if (first === undefined) throw new OutboundError('connect', `${hostname} has no address.`)
      if (!addresses.every(({ address }) => isIP(address) !== 0 && admits(address))) throw notPublic(hostname)
      if (options.all === true) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    }
    lookup(hostname)
      .then(settle)
      .catch((error: Error) => callback(error, []))
  }
}

/**
 * Opens all outbound connections. Only this connector checks addresses: when connecting, for the address of the connection. TLS
 * still checks the certificate against the host's name.
 */
export function createConnector(rules: ConnectRules): buildConnector.connector {
  const lookup = rules.lookup ?? resolveAll
  const isPublic = rules.isPublicAddress ?? isPublicAddress
  const connectorFor = (admits: (address: string) => boolean) =>
    buildConnector({
      timeout: rules.timeoutMs,
      allowH2: false,
      // TLS does not check the certificate of a resumed session again.
      maxCachedSessions: 0,
      autoSelectFamily: true,
      lookup: socketLookup(lookup, admits),
      ...(rules.ca === undefined ? {} : { ca: rules.ca }),
    })
  const toPublic = connectorFor(isPublic)
  const toAny = connectorFor(() => true)

  return (options, callback) => {
    if (rules.mayBePrivate(options)) return toAny(options, callback)
    // The socket does not call the resolver for a literal IP address.
    const literal = isIP(options.hostname) !== 0
    if (literal ? !isPublic(options.hostname) : isLocalhostName(options.hostname)) {
      queueMicrotask(() => callback(notPublic(options.hostname), null))
      return
    }
    toPublic(options, callback)
  }
}
