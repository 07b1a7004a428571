/** The parts of a DID URL (DID Core 1.0 §3.2), unchanged: nothing is percent-decoded. */
export interface DidUrl {
  /** The DID itself, without path, query and fragment. */
  did: string
  /** Name of the DID method, such as `web`. */
  method: string
  /** The part after `did:<method>:`. */
  methodSpecificId: string
  /** With its leading slash. */
  path?: string
  /** Without `?`. */
  query?: string
  /** Without `#`. */
  fragment?: string
}

// Limit of characters, because DIDs are written into database indices and log lines. It allows a did:jwk of an RSA key
// of 8192 bits.
const MAX_LENGTH = 4096

const ID = '(?:[A-Za-z0-9._:-]|%[0-9A-Fa-f]{2})*(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})'
const REFERENCE = '(?<path>/[^?#\\s]*)?(?:\\?(?<query>[^#\\s]*))?(?:#(?<fragment>[^#\\s]*))?'
const DID_URL = new RegExp(`^(?<did>did:(?<method>[a-z0-9]+):(?<id>${ID}))${REFERENCE}$`)

/** Splits a DID or DID URL into its parts (DID Core 1.0 §3.1 and §3.2); undefined for any other text. */
export function parseDidUrl(value: string): DidUrl | undefined {
  const groups = value.length <= MAX_LENGTH ? DID_URL.exec(value)?.groups : undefined
  const { did, method, id, path, query, fragment } = groups ?? {}
  if (did === undefined || method === undefined || id === undefined) return undefined
  return {
    did,
    method,
    methodSpecificId: id,
    ...(path === undefined ? {} : { path }),
    ...(query === undefined ? {} : { query }),
    ...(fragment === undefined ? {} : { fragment }),
  }
}

/** Whether a value is a DID (DID Core 1.0 §3.1): no path, no query, no fragment. */
export function isDid(value: unknown): value is string {
  return typeof value === 'string' && parseDidUrl(value)?.did === value
}

/** Returns the DID in a DID URL, such as a `kid`. Undefined for a relative DID URL (`#0`) and for any other text. */
export function didOf(kid: string): string | undefined {
  return parseDidUrl(kid)?.did
}
