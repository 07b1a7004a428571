import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Addresses of cloud hosts' own agents that lie in public ranges but answer only to the machine itself. */
const HOST_AGENTS: ReadonlySet<string> = new Set(['168.63.129.16'])

/** 2000::/3: all that IANA gives out as global unicast (RFC 4291 §2.4); the rest cannot be public, listed or not. */
const isGlobalUnicast = (address: ipaddr.IPv6) => ((address.parts[0] ?? 0) & 0xe000) === 0x2000

const inRange = (address: ipaddr.IPv6, prefix: string, bits: number) => address.match(ipaddr.IPv6.parse(prefix), bits)

/** The IPv4 address that is really reached: IPv4-mapped (RFC 4291 §2.5.5.2) and NAT64 (RFC 6052 §2.1). */
function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  if (!inRange(address, '::ffff:0:0', 96) && !inRange(address, '64:ff9b::', 96)) return undefined
  return new ipaddr.IPv4(address.toByteArray().slice(12))
}

/** The URL standard's reading of an IPv6 address: ipaddr.js takes the dotted form of an IPv4-compatible one for a mapped one. */
function parseIPv6(address: string): ipaddr.IPv6 {
  return ipaddr.IPv6.parse(new URL(`http://[${address}]`).hostname.slice(1, -1))
}

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !HOST_AGENTS.has(address.toString())
}

/**
 * Whether an address is one of the public internet: not loopback, private, link-local (cloud metadata among them), carrier-grade
 * NAT, multicast, unspecified, documentation, benchmarking or otherwise reserved (RFC 6890), and no transition form
 * (6to4, Teredo, IPv4-compatible) that hides such a one.
 *
 * @param address the canonical text of an IPv4 or IPv6 address, without brackets; anything else is not public, nor is
 *   an address with a zone id.
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

/** `localhost` and every name beneath it mean the machine itself (RFC 6761 §6.3), whatever a resolver says. */
export function isLocalhostName(hostname: string): boolean {
  return /^(?:.*\.)?localhost\.*$/i.test(hostname)
}
