import { expect } from 'vitest'
import type { Change } from '../../server/console/changes/change.js'
import { type EventReader, readEvents } from '../issuer/openid4vci/event-reader.js'
import type { TestService } from '../support/service.js'

/** The path of the stream of changes. */
export const EVENTS = '/api/v1/console/events'
export const EVERYTHING: Change = { kind: 'everything', id: null, state: null }

/**
 * The longest wait for an event, in milliseconds. It is much longer than the usual second, because the machine may be
 * busy.
 */
const WAIT_MS = 60_000

/** A reader of the stream of changes. */
export interface ChangeReader extends AsyncDisposable {
  readonly status: EventReader['status']
  /** The next change with its id in the stream. Fails if the stream has ended. */
  next(): Promise<{ readonly id: string; readonly change: Change }>
  /** Reads changes until a change has this kind and id. This change is the last element of the result. */
  until(kind: Change['kind'], id: string | null): Promise<Change[]>
}

/** Opens the stream without reading from it. */
export async function openChanges(
  service: TestService,
  headers: Readonly<Record<string, string>>,
): Promise<ChangeReader> {
  const stream = await readEvents(service, EVENTS, { accept: 'text/event-stream', ...headers })
  const nextChange: ChangeReader['next'] = async () => {
    for (;;) {
      const { id = '', event, data = '' } = await stream.next()
      if (event === 'change') return { id, change: JSON.parse(data) }
    }
  }
  const next: ChangeReader['next'] = async () => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('Nothing is told of.')), WAIT_MS)
    })
    return Promise.race([nextChange(), late]).finally(() => clearTimeout(timer))
  }
  return {
    status: stream.status,
    next,
    async until(kind, id) {
      const seen: Change[] = []
      for (;;) {
        const { change } = await next()
        seen.push(change)
        if (change.kind === kind && change.id === id) return seen
      }
    },
    [Symbol.asyncDispose]: () => stream[Symbol.asyncDispose](),
  }
}

/** Opens the stream for a user with the given roles, and reads the stream's first event, `everything`. */
export async function watchChanges(
  service: TestService,
  roles: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Promise<ChangeReader> {
  const authorization = await service.bearer('watcher', { roles })
  const reader = await openChanges(service, { authorization, ...headers })
  expect((await reader.next()).change).toEqual(EVERYTHING)
  return reader
}
