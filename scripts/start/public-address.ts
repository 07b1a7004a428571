import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * An address at which other machines reach the service, and the host and port on which the service listens for them.
 */
export interface PublicAddress {
  /** The origin, which becomes both base URLs. */
  readonly url: string
  /** Whether requests come through a tunnel. The service then listens on loopback only. */
  readonly tunnel: boolean
  readonly host: string
  /** The port; undefined for a tunnel, which may lead to any port. */
  readonly port: number | undefined
}

const USAGE =
  '--public needs the address by which others reach this machine: https://… of a tunnel that leads here, or http:// and an address of the local network with a port, such as http://192.168.1.20:3001.'

const LOCAL_RANGES = ['private', 'linkLocal', 'uniqueLocal', 'loopback']

/** Whether a host is in the local network or is this machine. */
function isLocal(host: string): boolean {
  return ipaddr.isValid(host) ? LOCAL_RANGES.includes(ipaddr.parse(host).range()) : /^(localhost|.+\.local)$/.test(host)
}

const isLoopback = (host: string) =>
  host === 'localhost' || (ipaddr.isValid(host) && ipaddr.parse(host).range() === 'loopback')

/**
 * The listen address for a host: loopback if the host is this machine itself, otherwise all addresses of the same IP
 * version.
 */
function listeningHost(host: string): string {
  if (isLoopback(host)) return isIPv6(host) ? '::1' : '127.0.0.1'
  return isIPv6(host) ? '::' : '0.0.0.0'
}

/**
 * Reads the option `--public`.
 *
 * @param args the arguments of the command
 * @returns undefined without the option
 * @throws {Error} with a sentence for an address that is neither a tunnel nor in the local network
 */
export function publicAddressOf(args: readonly string[]): PublicAddress | undefined {
  const at = args.findIndex((argument) => argument === '--public' || argument.startsWith('--public='))
  if (at < 0) return undefined
  const given = args[at]?.startsWith('--public=') ? args[at].slice('--public='.length) : args[at + 1]
  if (given === undefined || !URL.canParse(given)) throw new Error(USAGE)
  const url = new URL(given)
  const { protocol, origin, port } = url
  if (`${origin}/` !== url.href) throw new Error(`${USAGE} It has no path, query or user.`)
  if (protocol === 'https:') return { url: origin, tunnel: true, host: '127.0.0.1', port: undefined }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (protocol !== 'http:' || !isLocal(host)) throw new Error(USAGE)
  return { url: origin, tunnel: false, host: listeningHost(host), port: port === '' ? 80 : Number(port) }
}
