import { hashKey, type QueryClient, type QueryKey } from '@tanstack/react-query'
import type { Change } from './shared-stream.js'

/** Time for which changes are collected before the changed data is read again, in milliseconds. */
const GATHER_MS = 1_000

/**
 * Longest such time, in milliseconds. While changes follow one another, the time doubles up to this limit. Otherwise a
 * busy service would use up the calls of a session (CONSOLE_RATE_LIMIT_MAX).
 */
const MOST_GATHER_MS = 5_000

type Kind = Change['kind']

/** For each kind of change: the beginnings of the query keys whose data is read again. */
const SUBJECTS: Readonly<Record<Exclude<Kind, 'everything'>, readonly QueryKey[]>> = {
  'credential-offer-session': [['offers'], ['overview']],
  offering: [['offers']],
  credential: [['credentials']],
  'credential-status-job': [['credentials']],
  schema: [['types'], ['images']],
  'verification-session': [['verification-sessions', 'list'], ['verification-sessions', 'checks'], ['overview']],
  'vp-query': [['vp-queries']],
  'trusted-issuer': [['trust']],
  'trust-list': [['trust']],
  issuer: [['agent'], ['trust'], ['images']],
  verifier: [['agent'], ['trust'], ['images']],
  'registration-certificate': [['trust']],
  agent: [['agent'], ['trust']],
  image: [['images']],
  holder: [['wallets']],
  wallet: [['wallets']],
  other: [],
  statistics: [['statistics']],
}

/** Every change adds an audit event. */
const ALWAYS: QueryKey = ['audit']

/** All queries except the session and the configuration: no change of a record affects these two. */
const ALL: readonly QueryKey[] = [ALWAYS, ...Object.values(SUBJECTS).flat()]

/**
 * Reads the changed data on the screen again, once for all changes within a second. It reads less often while changes
 * follow one another, and never while the window is hidden. Changed data that is not on the screen is read when it is shown the next time.
 *
 * @param signal ends the work when it aborts
 * @returns a function that receives each change
 */
export function refresher(client: QueryClient, signal: AbortSignal): (change: Change) => void {
  // By their hashes, because several kinds of change share a key, and each query is read again once.
  const due = new Map<string, QueryKey>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let gather = GATHER_MS
  let readAt = Number.NEGATIVE_INFINITY

  const flush = () => {
    timer = undefined
    if (document.hidden) return
    readAt = performance.now()
    const keys = [...due.values()]
    due.clear()
    for (const queryKey of keys) void client.invalidateQueries({ queryKey })
  }
  const onShown = () => {
    if (due.size > 0) timer ??= setTimeout(flush)
  }
  document.addEventListener('visibilitychange', onShown, { signal })
  signal.addEventListener('abort', () => clearTimeout(timer))

  return ({ kind }) => {
    for (const key of kind === 'everything' ? ALL : [ALWAYS, ...SUBJECTS[kind]]) due.set(hashKey(key), key)
    if (timer !== undefined) return
    const isBusy = performance.now() - readAt < MOST_GATHER_MS
    gather = isBusy ? Math.min(gather * 2, MOST_GATHER_MS) : GATHER_MS
    timer = setTimeout(flush, gather)
  }
}
