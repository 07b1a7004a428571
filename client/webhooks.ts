import type { WebhookEvent } from './webhook-events.js'

/** Seconds by which the time of a delivery and the clock of the receiver may differ (Standard Webhooks 1.0.0). */
const TOLERANCE_SECONDS = 300

/** Headers of a request: an object as of Node, or a `Headers` object. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** Thrown if a delivery did not come from the service, or is too old. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

function headerOf(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? ''
  const [, value] = Object.entries(headers).find(([known]) => known.toLowerCase() === name) ?? []
  return typeof value === 'string' ? value : ''
}

const octets = (base64: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))

/** The key of a secret, and the version of the signatures that it verifies. */
async function keyOf(secret: string) {
  if (secret.startsWith('whpk_')) {
    const key = await crypto.subtle.importKey('raw', octets(secret.slice(5)), 'Ed25519', false, ['verify'])
    return { version: 'v1a', algorithm: 'Ed25519', key }
  }
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', octets(secret.replace(/^whsec_/, '')), hmac, false, ['verify'])
  return { version: 'v1', algorithm: 'HMAC', key }
}

/**
 * Verifies a delivery of a webhook (Standard Webhooks 1.0.0) and returns its event. Pass the body exactly as it arrived.
 *
 * @param secret `whsec_…`, or the public key `whpk_…`
 * @throws WebhookVerificationError if no signature fits, or if the delivery is more than five minutes old
 *
 * @example
 * ```ts
 * const event = await verifyWebhook(request.headers, body, process.env.WEBHOOK_SECRET)
 * if (event.type === 'verification.completed') console.log(event.data.verificationSessionId)
 * ```
 */
export async function verifyWebhook(headers: WebhookHeaders, body: string, secret: string): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  )
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError('Headers of a webhook are missing.')
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS))
    throw new WebhookVerificationError('The time of the delivery differs by more than five minutes.')
  const { version, algorithm, key } = await keyOf(secret)
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  for (const each of signatures.split(' ')) {
    const [of, signature = ''] = each.split(',')
    if (of !== version || !/^[A-Za-z0-9+/]+={0,2}$/.test(signature)) continue
    if (await crypto.subtle.verify(algorithm, key, octets(signature), signed)) {
      // The service signed the body, which is an event of its registry.
      return JSON.parse(body) as WebhookEvent
    }
  }
  throw new WebhookVerificationError('No signature fits.')
}
