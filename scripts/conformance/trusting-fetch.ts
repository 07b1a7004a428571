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

/** Asks one address; a redirect is an answer like any other. */
export type Ask = (url: string, sent?: Sent) => Promise<Received>

/** The suite holds a request open while it asks others. */
const PATIENCE_MS = 180_000

/**
 * A `fetch` that trusts these authorities for TLS, for the servers of one run alone.
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
