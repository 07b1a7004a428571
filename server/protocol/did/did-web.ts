import { DidResolutionError } from './did-resolution-error.js'
import { parseDidUrl } from './did-url.js'

const HOST =
  /^(?<name>[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*)(?<port>:[0-9]{1,5})?$/i
const IPV4 = /^[0-9]+(?:\.[0-9]+)*$/
const MAX_HOST_LENGTH = 260

/**
 * Makes the did:web (did:web Method, "Create (Register)") of a document at `/<uuid>/did.json` below a base URL. A port
 * becomes `%3A<port>`. Each segment of the path follows a `:`. Throws TypeError for a URL whose host did:web cannot
 * express, such as an IPv6 address.
 */
export function didWebFromUrl(baseUrl: string, uuid: string): string {
  const url = new URL(baseUrl)
  if (!HOST.test(url.host)) throw new TypeError(`The host of ${baseUrl} cannot stand in a did:web.`)
  const path = url.pathname.split('/').filter((segment) => segment !== '')
  const segments = [...path.map(decodeURIComponent), uuid].map(encodeSegment)
  return ['did:web', url.host.replace(':', '%3A'), ...segments].join(':')
}

/**
 * The address of a did:web's document (did:web Method, "Read (Resolve)"): `/.well-known/did.json` for a DID without a
 * path, else `/<path>/did.json`. The scheme is https. With `allowHttp` (development), the scheme is http if the host
 * has a port, has no dot, or is an IPv4 address. Throws DidResolutionError.
 */
export function didWebToUrl(did: string, options: { allowHttp: boolean }): string {
  const parsed = parseDidUrl(did)
  if (parsed?.method !== 'web' || parsed.did !== did) throw new DidResolutionError(`${did} is not a did:web.`)
  const [host = '', ...segments] = parsed.methodSpecificId.split(':')
  const path = segments.length === 0 ? ['.well-known'] : segments.map((segment) => pathSegment(did, segment))
  return `${origin(did, decode(did, host), options.allowHttp)}/${path.join('/')}/did.json`
}

function origin(did: string, host: string, allowHttp: boolean): string {
  const { name, port } = (host.length <= MAX_HOST_LENGTH ? HOST.exec(host)?.groups : undefined) ?? {}
  if (name === undefined) throw new DidResolutionError(`The host of ${did} is malformed.`)
  // did:web Method, "Method-specific identifier": the identifier is a domain name and must not be an IP address.
  if (IPV4.test(name) && !allowHttp) throw new DidResolutionError(`${did} names an IP address instead of a host.`)
  const local = port !== undefined || !name.includes('.') || IPV4.test(name)
  const url = `${allowHttp && local ? 'http' : 'https'}://${host.toLowerCase()}`
  // The URL parser reads `0x7f.1` as 127.0.0.1. A host that the parser changes is not the host that the DID shows.
  if (!URL.canParse(url) || new URL(url).hostname !== name.toLowerCase()) {
    throw new DidResolutionError(`The host of ${did} is malformed.`)
  }
  return url
}

function pathSegment(did: string, segment: string): string {
  const decoded = decode(did, segment)
  // Segments that could leave the path are refused. Segments that servers and proxies read in different ways are
  // refused too.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the check is for control characters
  if (/^\.{0,2}$/.test(decoded) || /[/\\?#%:\u0000-\u0020\u007f]/.test(decoded)) {
    throw new DidResolutionError(`The path of ${did} is malformed.`)
  }
  return encodeURIComponent(decoded)
}

function decode(did: string, text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new DidResolutionError(`${did} has a malformed percent-encoding.`)
  }
}

function encodeSegment(segment: string): string {
  // A method-specific identifier consists of letters, digits, `.`, `-`, `_` and percent-encodings (DID Core 1.0 §3.1).
  // encodeURIComponent leaves more characters unencoded.
  return encodeURIComponent(segment).replace(
    /[~!*'()]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
