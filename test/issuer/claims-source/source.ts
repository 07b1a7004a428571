import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { closeServer, listenLocally } from '../../support/local-server.js'

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

export interface Asked {
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape and assert what they find.
  readonly json: any
}

type Handler = (asked: Asked, response: ServerResponse, times: number) => unknown

/** The system of an issuer: a real HTTP server that verifies the signature of each request. */
export interface Source extends AsyncDisposable {
  readonly url: string
  readonly asked: Asked[]
  /** Number of TCP connections that were opened. */
  readonly connections: () => number
  /** Answers the requests from now on, and forgets the earlier requests. */
  answers(handler: Handler): void
}

export const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Answers with claims. */
export const claims =
  (credentialSubject: unknown): Handler =>
  (_, response) =>
    json(response, 200, { credentialSubject })

async function received(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  if (headers['webhook-signature'] !== undefined) new Webhook(SECRET).verify(text, headers)
  return { headers, text, json: JSON.parse(text) }
}

export async function startSource(): Promise<Source> {
  let handler: Handler = claims({})
  const asked: Asked[] = []
  let connections = 0
  const server = createServer(async (request, response) => {
    try {
      const next = await received(request)
      asked.push(next)
      await handler(next, response, asked.length)
    } catch {
      response.writeHead(401).end()
    }
  })
  server.on('connection', () => {
    connections += 1
  })
  server.keepAliveTimeout = 60_000
  const url = `${await listenLocally(server)}/claims`
  return {
    url,
    asked,
    connections: () => connections,
    answers: (next) => {
      handler = next
      asked.length = 0
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}
