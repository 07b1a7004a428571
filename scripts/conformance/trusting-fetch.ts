import { Agent, fetch } from 'undici'

/** The part of a request that these scripts set. */
export interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The part of an answer that these scripts read. */
export interface Received {
  readonly status: number
  readonly headers: { get(name: string): string | null; getSetCookie(): string[] }
  text(): Promise<string>
}

/** Sends one request. It follows no redirect. */
export type Ask = (url: string, sent?: Sent) => Promise<Received>

/**
 * The longest wait for an answer, in milliseconds. The suite answers some requests only after it has called other
 * servers.
 */
const PATIENCE_MS = 180_000

/**
 * Returns a `fetch` that trusts the given authorities for TLS. Other code of the process does not trust these
 * authorities.
 *
 * @param authorities certificates as PEM
 */
export function trustingFetch(authorities: readonly string[]): Ask {
  const dispatcher = new Agent({
    connect: { ca: [...authorities] },
    headersTimeout: PATIENCE_MS,
    bodyTimeout: PATIENCE_MS,
  })
  return (url, sent = {}) => fetch(url, { ...sent, redirect: 'manual', dispatcher })
}
