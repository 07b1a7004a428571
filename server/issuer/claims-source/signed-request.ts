import { Webhook } from 'standardwebhooks'
import type { SourceSecret } from './source.js'

/**
 * The headers of one attempt to send a message (Standard Webhooks 1.0.0, "Signature scheme"). A repeated message keeps its id
 * and gets a new time, so a receiver can refuse old messages.
 *
 * @param id the id of the message
 * @param body the exact body of the request
 */
export function messageHeaders(
  { bearer, hmac }: SourceSecret,
  { id, body, now }: { readonly id: string; readonly body: string; readonly now: Date },
): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    ...(hmac === undefined ? {} : { 'webhook-signature': new Webhook(hmac).sign(id, now, body) }),
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
  }
}
