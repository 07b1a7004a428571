import type { Stage } from '../stage.js'

/** A watcher of a verification session over Server-Sent Events. */
export interface Watcher extends Disposable {
  /** Every state so far, in order. */
  readonly states: readonly string[]
  /** The session's error message, once there is one. */
  errorMessage(): string | undefined
  /** Resolves once a state was seen; rejects where the subscription ends or nothing comes for half a minute. */
  until(state: string): Promise<void>
}

const PATIENCE_MS = 30_000

/** Watches over the typed client, telling each state as it comes. */
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
