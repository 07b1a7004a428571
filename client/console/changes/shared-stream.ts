import { problemOf } from '../problems.js'
import { credence } from '../service.js'

type Stream = Parameters<typeof credence.console.events.subscribe>[1]
type Told = Parameters<Stream['onData']>[0]
/** A function that receives each change from the service. */
export type Change = Told['data']

/** A message between windows: a change, or the end of the session. */
type Message = { readonly change: Change } | { readonly ended: true }

export interface Listener {
  onChange(change: Change): void
  /** The session has ended, and no further change follows. */
  onEnded(): void
}

const NAME = 'console-changes'
/** Wait before the next attempt after the service has refused a stream temporarily, in milliseconds. */
const RETRY_MS = 30_000

/**
 * Follows changes until `signal` aborts. One window of a browser has the stream and sends each change to the other
 * windows. If this window closes, another window opens the stream. The window with the stream holds a lock of the
 * browser. If the service is on another machine and uses plain http, browsers offer no locks. Each window then has its
 * own stream.
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
  // If the wait for the lock is aborted, the promise rejects.
  else navigator.locks.request(NAME, { signal }, () => hold(tell, signal)).catch(() => {})
}

/** Reads the stream and sends each change to all windows, until `signal` aborts. */
async function hold(tell: (message: Message) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const refusal = await stream((change) => tell({ change }), signal)
    if (signal.aborted) return
    if (refusal === 401) tell({ ended: true })
    await pause(RETRY_MS, signal)
  }
}

/**
 * Resolves with the HTTP status when the service refuses the stream, or without a status when `signal` aborts. Until
 * then, it connects again after a lost connection.
 */
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
