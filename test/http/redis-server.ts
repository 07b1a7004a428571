import { createHash } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { portOf } from '../support/local-server.js'

/** A counter for `INCR` and `PX`. */
interface Counter {
  hits: number
  readonly expiresAt: number
}

/** The commands of Redis for a rate limit, in RESP3. A restart loses all counters. */
export interface RedisServer extends AsyncDisposable {
  readonly url: string
  /** The count of each key. */
  hits(): Record<string, number>
  /** `silent`: accepts commands but does not answer them. `readonly`: refuses writes, as a replica does. */
  mode: 'serving' | 'silent' | 'readonly'
  stop(): Promise<void>
  start(): Promise<void>
}

/**
 * Reads one request of the protocol, `*2\r\n$4\r\nPING\r\n…`. Returns the request and the remaining bytes, or undefined
 * if the request is not complete.
 */
function readCommand(text: string): { words: string[]; rest: string } | undefined {
  const header = /^\*(\d+)\r\n/.exec(text)
  if (header === null) return undefined
  const words: string[] = []
  let at = header[0].length
  for (let index = 0; index < Number(header[1]); index += 1) {
    const length = /^\$(\d+)\r\n/.exec(text.slice(at))
    if (length === null) return undefined
    at += length[0].length
    const word = text.slice(at, at + Number(length[1]))
    at += Number(length[1]) + 2
    if (at > text.length) return undefined
    words.push(word)
  }
  return { words, rest: text.slice(at) }
}

const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`

export async function startRedisServer(): Promise<RedisServer> {
  let counters = new Map<string, Counter>()
  let scripts = new Set<string>()
  const sockets = new Set<Socket>()

  function count(key: string, windowMs: number): string {
    const now = Date.now()
    const known = counters.get(key)
    const counter = known === undefined || known.expiresAt <= now ? { hits: 0, expiresAt: now + windowMs } : known
    counter.hits += 1
    counters.set(key, counter)
    return `*2\r\n:${counter.hits}\r\n:${counter.expiresAt - now}\r\n`
  }

  function reply([command = '', ...args]: string[]): string {
    const [first = '', second = ''] = args
    switch (command.toUpperCase()) {
      case 'HELLO':
        return `%2\r\n${bulk('server')}${bulk('redis')}${bulk('proto')}:3\r\n`
      case 'PING':
        return '+PONG\r\n'
      case 'SCRIPT': {
        const name = createHash('sha1').update(second).digest('hex')
        scripts.add(name)
        return bulk(name)
      }
      case 'EVALSHA':
        if (redis.mode === 'readonly') return "-READONLY You can't write against a read only replica.\r\n"
        return scripts.has(first) ? count(args[2] ?? '', Number(args[3])) : '-NOSCRIPT No matching script.\r\n'
      case 'CLIENT':
        return '+OK\r\n'
      default:
        return `-ERR unknown command '${command}'\r\n`
    }
  }

  const server: Server = createServer((socket) => {
    sockets.add(socket)
    let buffered = ''
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    socket.on('data', (data) => {
      buffered += data.toString('latin1')
      for (let next = readCommand(buffered); next !== undefined; next = readCommand(buffered)) {
        if (redis.mode !== 'silent') socket.write(reply(next.words))
        buffered = next.rest
      }
    })
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const port = portOf(server)
  const stop = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
    counters = new Map()
    scripts = new Set()
  }
  const redis: RedisServer = {
    mode: 'serving',
    url: `redis://127.0.0.1:${port}`,
    hits: () => Object.fromEntries([...counters].map(([key, { hits }]) => [key, hits])),
    stop,
    start: () => listen(port),
    [Symbol.asyncDispose]: stop,
  }
  return redis
}
