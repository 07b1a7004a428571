import { connect, type Socket } from 'node:net'

/** One open stream of Server-Sent Events. The client is minimal, so that the load can have thousands of streams. */
export interface EventStream {
  /**
   * Resolves with the time (`performance.now()`) at which a text arrived, also if the text arrived before this call.
   */
  arrival(text: string): Promise<number>
  close(): void
}

/** Number of received characters that are kept, so that a text that arrives in two parts is found. */
const KEPT = 4_096

/** Subscribes over a bare socket. If the connection ends, every waiting promise is rejected. */
export function openEventStream(
  origin: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): EventStream {
  const { hostname, port, host } = new URL(origin)
  const lines = Object.entries({ host, accept: 'text/event-stream', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const socket: Socket = connect(Number(port), hostname)
  socket.setEncoding('utf8').write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  let seen = ''
  let seenAt = 0
  const waiting = new Map<string, { resolve: (time: number) => void; reject: (error: Error) => void }>()
  socket.on('data', (text: string) => {
    seenAt = performance.now()
    seen = `${seen}${text}`.slice(-KEPT)
    for (const [wanted, { resolve }] of waiting) {
      if (!seen.includes(wanted)) continue
      waiting.delete(wanted)
      resolve(seenAt)
    }
  })
  const fail = () => {
    for (const { reject } of waiting.values()) reject(new Error(`The stream ${path} ended: ${seen.slice(0, 300)}`))
    waiting.clear()
  }
  socket.on('error', fail).on('close', fail)
  return {
    arrival: (text) =>
      new Promise((resolve, reject) => {
        if (seen.includes(text)) resolve(seenAt)
        else if (socket.destroyed) reject(new Error(`The stream ${path} has ended.`))
        else waiting.set(text, { resolve, reject })
      }),
    close: () => socket.destroy(),
  }
}
