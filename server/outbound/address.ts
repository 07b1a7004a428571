import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Addresses of cloud providers' agents. They are in public ranges, but only the machine itself can reach them. */
const HOST_AGENTS: ReadonlySet<string> = new Set(['168.63.129.16'])

/** True for 2000::/3, the only range that IANA assigns as global unicast (RFC 4291 §2.4). No other address can be public. */
const isGlobalUnicast = (address: ipaddr.IPv6) => ((address.parts[0] ?? 0) & 0xe000) === 0x2000

const inRange = (address: ipaddr.IPv6, prefix: string, bits: number) => address.match(ipaddr.IPv6.parse(prefix), bits)

/** Returns the IPv4 address that an IPv4-mapped (RFC 4291 §2.5.5.2) or NAT64 (RFC 6052 §2.1) address contains. */
function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  if (!inRange(address, '::ffff:0:0', 96) && !inRange(address, '64:ff9b::', 96)) return undefined
  return new ipaddr.IPv4(address.toByteArray().slice(12))
}

/**
 * Parses an IPv6 address as the URL standard does. ipaddr.js alone would read an IPv4-compatible address in dotted
 * notation as an IPv4-mapped address.
 */
function parseIPv6(address: string): ipaddr.IPv6 {
  return ipaddr.IPv6.parse(new URL(`http://[${address}]`).hostname.slice(1, -1))
}

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !HOST_AGENTS.has(address.toString())
}

/**
 * True if an address belongs to the public internet. Not public are loopback, private, link-local (with cloud
 * metadata), carrier-grade NAT, multicast, unspecified, documentation, benchmarking and otherwise reserved addresses
 * (RFC 6890). Transition addresses (6to4, Teredo, IPv4-compatible) that contain one of these addresses are not public
 * either.
 *
 * @param address the canonical text of an IPv4 or IPv6 address, without brackets. Any other text is not public, and an
 * address with a zone id is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false
  const family = isIP(address)
  if (family === 4) return isPublicIPv4(ipaddr.IPv4.parse(address))
  if (family !== 6) return false
  const parsed = parseIPv6(address)
  const embedded = embeddedIPv4(parsed)
  if (embedded !== undefined) return isPublicIPv4(embedded)
  return isGlobalUnicast(parsed) && parsed.range() === 'unicast'
}

/** True for `localhost` and all names under it, which mean this machine (RFC 6761 §6.3) regardless of the resolver. */
export function isLocalhostName(hostname: string): boolean {
  return /^(?:.*\.)?localhost\.*$/i.test(hostname)
}
