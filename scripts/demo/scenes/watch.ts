import type { Stage } from '../stage.js'

/** A watcher of a verification session over Server-Sent Events. */
export interface Watcher extends Disposable {
  /** The states that the session has had so far, in order. */
  readonly states: readonly string[]
  /** The session's error message; undefined if there is none yet. */
  errorMessage(): string | undefined
  /**
   * Resolves when the session has reached the given state. Rejects if the subscription ends, or if no event arrives for
   * half a minute.
   */
  until(state: string): Promise<void>
}

const PATIENCE_MS = 30_000

/** Watches a session over the typed client, and prints each state when it arrives. */
export function watch(stage: Stage, sessionId: string): Watcher {
  const states: string[] = []
  const looks = new Set<() => void>()
  let errorMessage: string | undefined
  let failure: Error | undefined
  const wake = () => {
    for (const look of looks) look()
  }
  const subscription = stage.credence.verificationSessions.events.subscribe(
    { sessionId },
    {
      onData: ({ data: session }) => {
        states.push(session.state)
        errorMessage = session.errorMessage
        stage.saw(
          '  the session says',
          errorMessage === undefined ? session.state : `${session.state}: ${errorMessage}`,
        )
        wake()
      },
      onError: (error) => {
        failure = error
        wake()
      },
    },
  )
  const until = (state: string) =>
    new Promise<void>((resolve, reject) => {
      const done = (settle: () => void) => {
        clearTimeout(timer)
        looks.delete(look)
        settle()
      }
      const timer = setTimeout(() => done(() => reject(new Error(`The session never said ${state}.`))), PATIENCE_MS)
      const look = () => {
        if (states.includes(state)) done(resolve)
        else if (failure !== undefined) done(() => reject(failure))
      }
      looks.add(look)
      look()
    })
  return { states, errorMessage: () => errorMessage, until, [Symbol.dispose]: () => subscription.unsubscribe() }
}
