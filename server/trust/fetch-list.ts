import type { ListDefinition } from '../config/trust-lists.js'
import type { Outbound } from '../outbound/guard.js'
import { OutboundError } from '../outbound/outbound-error.js'
import { MAX_LIST_BYTES } from '../protocol/trust-lists/limits.js'
import type { FetchCheck } from './list-check.js'

/** The longest time for the whole answer, in milliseconds. */
const TIMEOUT_MS = 10_000

/** What an address answered. */
export type Fetched =
  | { readonly failed: FetchCheck; readonly sentence: string }
  | {
      /** Undefined if the address confirmed the content that is known. */
      readonly bytes: Uint8Array | undefined
      readonly etag: string | null
      readonly lastModified: string | null
    }

/** The content that is known, for a conditional request (RFC 9110 §13.1). */
export interface KnownContent {
  readonly version: number
  readonly etag: string | null
  readonly lastModified: string | null
}

/** Validators that are longer are not sent back. */
const MAX_VALIDATOR = 200
const validator = (value: string | null): string | null =>
  value !== null && value.length <= MAX_VALIDATOR ? value : null

const checkOf = ({ code }: OutboundError): FetchCheck =>
  code === 'timeout' ? 'too-slow' : code === 'too-large' ? 'too-large' : 'unreachable'

/** Asks the address of a list for its content. @returns a failure for each answer that is no list */
export async function fetchList(
  outbound: Pick<Outbound, 'fetch'>,
  { url, kind }: ListDefinition,
  known: KnownContent,
): Promise<Fetched> {
  // Readers load much code, which a service without lists does not need.
  const { kindOf } = await import('../protocol/trust-lists/registry.js')
  const headers = new Headers({ accept: `${kindOf(kind).accept.join(', ')}, */*;q=0.1` })
  if (known.version > 0 && known.etag !== null) headers.set('if-none-match', known.etag)
  if (known.version > 0 && known.lastModified !== null) headers.set('if-modified-since', known.lastModified)
  try {
    const response = await outbound.fetch(url, { headers, maxBytes: MAX_LIST_BYTES, timeoutMs: TIMEOUT_MS })
    const etag = validator(response.headers.get('etag'))
    const lastModified = validator(response.headers.get('last-modified'))
    if (response.status === 304 && known.version > 0) return { bytes: undefined, etag, lastModified }
    if (response.status === 200) return { bytes: new Uint8Array(await response.arrayBuffer()), etag, lastModified }
    return { failed: 'unreachable', sentence: `${new URL(url).host} answered with status ${response.status}.` }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { failed: checkOf(error), sentence: error.message }
  }
}
