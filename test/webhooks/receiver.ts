import { createPublicKey, verify } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { expect } from 'vitest'
import { closeServer, listenLocally } from '../support/local-server.js'
import type { TestService } from '../support/service.js'

/** A delivery whose signature was verified with the library of Standard Webhooks. */
export interface Received {
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape and assert what they find.
  readonly json: any
}

type Handler = (received: Received, response: ServerResponse) => unknown

const accept: Handler = (_, response) => response.writeHead(204).end()

/** A backend: a real HTTP server that verifies each delivery. */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  /** Verified deliveries in the order of their arrival. */
  readonly received: Received[]
  /** Deliveries whose signature no known secret verifies. */
  readonly refused: string[]
  /** Secrets that verify deliveries. */
  readonly secrets: string[]
  /** Answers the deliveries from now on. */
  answers(handler: Handler): void
  /** The types of the deliveries about a session or credential, in the order of their arrival. */
  typesOf(id: string): string[]
}

const ids = ['credentialOfferSessionId', 'verificationSessionId', 'credentialId', 'webhookId'] as const

/** The id of the thing that an event is about. */
export const subjectOf = ({ json: { type, data } }: Pick<Received, 'json'>): string =>
  String(type.startsWith('credential.') ? data.credentialId : data[ids.find((name) => data[name] !== undefined) ?? ''])

/** @param clock the clock of the service; the receiver checks the time of each delivery against it */
export async function startReceiver(clock: () => Date = () => new Date()): Promise<Receiver> {
  let handler = accept
  const received: Received[] = []
  const refused: string[] = []
  const secrets: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const isVerified = secrets.some((secret) => verifies(secret, text, headers, clock()))
    if (!isVerified) {
      refused.push(text)
      response.writeHead(401).end()
      return
    }
    const next = { id: headers['webhook-id'] ?? '', headers, text, json: JSON.parse(text) }
    received.push(next)
    await handler(next, response)
  })
  return {
    url: await listenLocally(server),
    received,
    refused,
    secrets,
    answers(next) {
      handler = next
    },
    typesOf: (id) => received.filter((each) => subjectOf(each) === id).map(({ json }) => json.type),
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

/** The library compares with the clock of the machine, so its clock is checked here for a moved clock. */
function verifies(secret: string, text: string, headers: Record<string, string>, now: Date): boolean {
  const sentAt = Number(headers['webhook-timestamp']) * 1000
  if (Math.abs(now.getTime() - sentAt) > 300_000) return false
  if (secret.startsWith('whpk_')) {
    const x = Buffer.from(secret.slice(5), 'base64').toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`)
    const [, signature = ''] = /^v1a,(\S+)/.exec(headers['webhook-signature'] ?? '') ?? []
    return verify(null, signed, key, Buffer.from(signature, 'base64'))
  }
  const webhook = new Webhook(secret)
  const expected = webhook.sign(headers['webhook-id'] ?? '', new Date(sentAt), text)
  if (Math.abs(Date.now() - sentAt) > 200_000) return (headers['webhook-signature'] ?? '').split(' ').includes(expected)
  try {
    webhook.verify(text, headers)
    return true
  } catch {
    return false
  }
}

export interface CreateOptions {
  readonly authorization?: string
  readonly client?: boolean
  readonly [member: string]: unknown
}

/** Creates a webhook of a receiver, which then knows its secret. @returns the answer */
export async function webhookFor(
  service: TestService,
  receiver: Receiver,
  { authorization, client, ...members }: CreateOptions,
) {
  const { status, json, text } = await service.request('POST', '/api/v1/webhooks', {
    ...(authorization === undefined ? {} : { authorization }),
    ...(client === true ? { client } : {}),
    body: { url: `${receiver.url}/hook`, events: ['*'], ...members },
  })
  expect(status, text).toBe(201)
  receiver.secrets.push(json.secret)
  return json
}
