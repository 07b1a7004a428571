import { setTimeout as pause } from 'node:timers/promises'

/** The results of clients so far: answers, event streams that ended properly, and failures. */
export interface Met {
  answers: number
  streamsEnded: number
  readonly failures: string[]
}

/** Time between two requests of a client, in milliseconds. */
const THINKING_MS = 10

const QUERY = JSON.stringify({
  query: [{ fields: [{ path: ['$.type'], filter: { contains: { const: 'Receipt' } } }] }],
})
const post = (body: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body,
})

/** The requests that a client sends one after the other. Some of them read, some write, and some compute. */
const REQUESTS: readonly (readonly [path: string, request: RequestInit, status: number])[] = [
  ['/.well-known/openid-credential-issuer', {}, 200],
  ['/authorization-requests', post(QUERY), 201],
  ['/credentials/verify', post(JSON.stringify({ credential: 'x' })), 200],
]

const reasonOf = (thrown: unknown) =>
  thrown instanceof Error ? `${thrown.message}: ${thrown.cause instanceof Error ? thrown.cause.message : ''}` : thrown

/**
 * Runs clients that send one request after the other, and watchers of a session that reopen its stream when it ends.
 * Clients do not repeat failed requests.
 *
 * @returns the results, after all clients have stopped.
 */
export async function load(
  url: string,
  clients: number,
  watchers: number,
  met: Met,
  until: AbortSignal,
): Promise<void> {
  const ask = async (first: number) => {
    for (let asked = first; !until.aborted; asked += 1) {
      const [path = '', request, status] = REQUESTS[asked % REQUESTS.length] ?? []
      try {
        const answer = await fetch(`${url}${path}`, request)
        await answer.text()
        if (answer.status === status) met.answers += 1
        else met.failures.push(`${path} ${answer.status}`)
      } catch (thrown) {
        met.failures.push(`${path} ${reasonOf(thrown)}`)
      }
      await pause(THINKING_MS)
    }
  }
  const watch = async () => {
    const created = await fetch(`${url}/authorization-requests`, post(QUERY))
    const { verificationSessionId } = (await created.json()) as { verificationSessionId: string }
    while (!until.aborted) {
      try {
        const stream = await fetch(`${url}/verification-sessions/${verificationSessionId}/events`, { signal: until })
        const text = await stream.text()
        if (stream.status === 200 && text.includes('RequestCreated')) met.streamsEnded += 1
        else met.failures.push(`stream ${stream.status}`)
      } catch (thrown) {
        if (!until.aborted) met.failures.push(`stream ${reasonOf(thrown)}`)
      }
    }
  }
  await Promise.all([
    ...Array.from({ length: clients }, (_, number) => ask(number)),
    ...Array.from({ length: watchers }, watch),
  ])
}
