import type { LookupAddress } from 'node:dns'
import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { isLocalhostName, isPublicAddress } from './address.js'
import { OutboundError, transportFailure } from './outbound-error.js'

/** Resolves a host name to all its addresses. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>

/**
 * The target of a new connection, as the HTTP client describes it: `hostname` without brackets, `port` empty for the
 * default port.
 */
export type Target = Pick<buildConnector.Options, 'protocol' | 'hostname' | 'port'>

export interface ConnectRules {
  /** True if the target may be reached although its address is private. */
  readonly mayBePrivate: (target: Target) => boolean
  /** Milliseconds for name resolution, TCP and TLS together. */
  readonly timeoutMs: number
  /** Default: the resolver of the machine. */
  readonly lookup?: Lookup | undefined
  readonly isPublicAddress?: ((address: string) => boolean) | undefined
  /** Trust anchors in PEM. They replace the trust anchors of the machine. */
  readonly ca?: string | undefined
  /** The certificate for servers that ask for one. */
  readonly clientCertificate?: ClientCertificate | undefined
}

/** A client certificate in PEM: the chain, leaf first, and the private key of the leaf. */
export interface ClientCertificate {
  readonly certificate: string
  readonly key: string
}

const resolveAll: Lookup = (hostname) => systemLookup(hostname, { all: true })

const notPublic = (hostname: string) =>
  new OutboundError('address', `${hostname} has an address that is not public, so it may not be requested.`)

/**
 * Makes the name resolver of a socket, which also checks the addresses. The socket resolves a name once and connects to
 * an address that was checked. So a later answer of the name server (DNS rebinding) cannot replace the address. If one
 * of several addresses is private, the connection is refused.
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
 * Makes the function that checks an address before it is stored. It connects to nothing. The connector checks the address again for each
 * connection, because a name may resolve to another address later.
 */
export function createAddressCheck(rules: ConnectRules): (url: URL) => Promise<void> {
  const lookup = rules.lookup ?? resolveAll
  const isPublic = rules.isPublicAddress ?? isPublicAddress
  return async (url) => {
    const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1')
    if (rules.mayBePrivate({ protocol: url.protocol, hostname, port: url.port })) return
    const literal = isIP(hostname) !== 0
    if (literal ? !isPublic(hostname) : isLocalhostName(hostname)) throw notPublic(hostname)
    if (literal) return
    const addresses = await lookup(hostname).catch((error: unknown) => {
      throw transportFailure(error, hostname)
    })
    if (addresses.length === 0) throw new OutboundError('connect', `${hostname} has no address.`)
    if (!addresses.every(({ address }) => isIP(address) !== 0 && isPublic(address))) throw notPublic(hostname)
  }
}

/**
 * Makes the connector that opens all outbound connections. No other code checks addresses. The connector checks the
 * address of each connection when it opens the connection. TLS checks the certificate against the host's name.
 */
export function createConnector(rules: ConnectRules): buildConnector.connector {
  const lookup = rules.lookup ?? resolveAll
  const isPublic = rules.isPublicAddress ?? isPublicAddress
  const client = rules.clientCertificate
  const connectorFor = (admits: (address: string) => boolean) =>
    buildConnector({
      timeout: rules.timeoutMs,
      allowH2: false,
      // TLS sessions are not resumed, because the certificate would not be checked again.
      maxCachedSessions: 0,
      autoSelectFamily: true,
      lookup: socketLookup(lookup, admits),
      ...(rules.ca === undefined ? {} : { ca: rules.ca }),
      ...(client === undefined ? {} : { cert: client.certificate, key: client.key }),
    })
  const toPublic = connectorFor(isPublic)
  const toAny = connectorFor(() => true)

  return (options, callback) => {
    if (rules.mayBePrivate(options)) return toAny(options, callback)
    // A literal IP address is checked here, since the socket does not call the resolver for it.
    const literal = isIP(options.hostname) !== 0
    if (literal ? !isPublic(options.hostname) : isLocalhostName(options.hostname)) {
      queueMicrotask(() => callback(notPublic(options.hostname), null))
      return
    }
    toPublic(options, callback)
  }
}
