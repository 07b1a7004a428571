import { problemOf } from '../problems.js'
import { credence } from '../service.js'

type Stream = Parameters<typeof credence.console.events.subscribe>[1]
type Told = Parameters<Stream['onData']>[0]
/** That something changed, as the service tells it. */
export type Change = Told['data']

/** What windows tell each other: a change, or that the session has ended. */
type Message = { readonly change: Change } | { readonly ended: true }

export interface Listener {
  onChange(change: Change): void
  /** The session has ended: nothing is told any more. */
  onEnded(): void
}

const NAME = 'console-changes'
/** How long to wait, in milliseconds, where the service refuses a stream for now. */
const RETRY_MS = 30_000

/**
 * Follows what changes until `signal` aborts. Of all windows of a browser one has the stream, and tells the others; when it is
 * closed another one takes its place. The window that has it holds a lock of the browser. Where there are no locks, on plain http
 * away from this machine, each window has a stream of its own.
 */
export function followChanges(listener: Listener, signal: AbortSignal): void {
  const channel = new BroadcastChannel(NAME)
  signal.addEventListener('abort', () => channel.close())
  const hear = (message: Message) => ('change' in message ? listener.onChange(message.change) : listener.onEnded())
  channel.onmessage = ({ data }: MessageEvent<Message>) => hear(data)
  const isShared = 'locks' in navigator
  const tell = (message: Message) => {
    hear(message)
    if (isShared && !signal.aborted) channel.postMessage(message)
  }
  if (!isShared) void hold(tell, signal)
  // Whoever gives up waiting for the lock is told so by an error.
  else navigator.locks.request(NAME, { signal }, () => hold(tell, signal)).catch(() => {})
}

/** Has the stream until `signal` aborts. */
async function hold(tell: (message: Message) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const refusal = await stream((change) => tell({ change }), signal)
    if (signal.aborted) return
    if (refusal === 401) tell({ ended: true })
    await pause(RETRY_MS, signal)
  }
}

/** Resolves with the status of the service's refusal, or when `signal` aborts. A connection that is lost is made again meanwhile. */
function stream(onChange: (change: Change) => void, signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve) => {
    const { unsubscribe } = credence.console.events.subscribe(
      {},
      {
        onData: ({ data }) => onChange(data),
        onError: (error) => resolve(problemOf(error).status),
        onComplete: () => resolve(undefined),
      },
    )
    signal.addEventListener('abort', () => {
      unsubscribe()
      resolve(undefined)
    })
  })
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
