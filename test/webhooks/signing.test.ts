import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import type { WebhookEvent } from '../../client/webhook-events.js'
import { verifyWebhook, WebhookVerificationError } from '../../client/webhooks.js'
import { webhookEventsText } from '../../scripts/client/webhook-events-text.js'
import type { WebhookEvent as SentEvent } from '../../server/webhooks/events.js'
import { nextTry } from '../../server/webhooks/schedule.js'
import { newSecret, type SigningSecrets, signedHeaders } from '../../server/webhooks/signing.js'

const BODY = JSON.stringify({ type: 'webhook.test', timestamp: '2026-03-01T00:00:00.000Z', data: { webhookId: 'x' } })

const headersOf = (secrets: SigningSecrets, now = new Date(), body = BODY) =>
  signedHeaders(secrets, { id: 'msg_1', body, now })

describe('a signed delivery', () => {
  const v1 = newSecret('v1')
  const v1a = newSecret('v1a')

  it('is verified by the library of Standard Webhooks, and by verifyWebhook of the client', async () => {
    const headers = headersOf({ current: v1.secret })
    expect(new Webhook(v1.shown).verify(BODY, headers)).toEqual(JSON.parse(BODY))
    expect(await verifyWebhook(headers, BODY, v1.shown)).toEqual(JSON.parse(BODY))
    expect(await verifyWebhook(new Headers(headers), BODY, v1.shown)).toEqual(JSON.parse(BODY))
  })

  it('of v1a is verified with the public key', async () => {
    expect(v1a.secret).toMatch(/^whsk_/)
    expect(await verifyWebhook(headersOf({ current: v1a.secret }), BODY, v1a.shown)).toEqual(JSON.parse(BODY))
  })

  it('that was altered, is old, is of another key, or has no headers is refused', async () => {
    const refused = async (headers: Record<string, string>, body: string, secret: string) =>
      expect(verifyWebhook(headers, body, secret)).rejects.toThrow(WebhookVerificationError)
    for (const { secret, shown } of [v1, v1a]) {
      const headers = headersOf({ current: secret })
      await refused(headers, `${BODY} `, shown)
      await refused({ ...headers, 'webhook-id': 'msg_2' }, BODY, shown)
      await refused(headersOf({ current: secret }, new Date(Date.now() - 301_000)), BODY, shown)
      await refused(headersOf({ current: secret }, new Date(Date.now() + 301_000)), BODY, shown)
      await refused({ ...headers, 'webhook-timestamp': 'now' }, BODY, shown)
      await refused({}, BODY, shown)
    }
    await refused(headersOf({ current: v1.secret }), BODY, newSecret('v1').shown)
    await refused(headersOf({ current: v1a.secret }), BODY, newSecret('v1a').shown)
    await refused(headersOf({ current: v1.secret }), BODY, v1a.shown)
  })

  it('has the signatures of both secrets for a day after a replacement', async () => {
    const until = new Date(Date.now() + 1_000)
    const secrets = { current: newSecret('v1').secret, former: { secret: v1.secret, until: until.toISOString() } }
    for (const secret of [secrets.current, v1.secret])
      expect(new Webhook(secret).verify(BODY, headersOf(secrets))).toEqual(JSON.parse(BODY))
    expect(headersOf(secrets, until)['webhook-signature']?.split(' ')).toHaveLength(1)
  })
})

it('tries come after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, up to a tenth later', () => {
  const now = new Date()
  const delays = (random: number) =>
    Array.from({ length: 10 }, (_, index) => nextTry(index + 1, now, random)).map(
      (at) => at && at.getTime() - now.getTime(),
    )
  const seconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
  expect(delays(0)).toEqual([...seconds.map((each) => each * 1_000), undefined])
  expect(delays(1)).toEqual([...seconds.map((each) => each * 1_100), undefined])
})

it('the types of the client are those of the event types', () => {
  // Formatting differs.
  const bare = (text: string) => text.replaceAll(/\s|\|/g, '').replaceAll('"', "'")
  const file = readFileSync(join(import.meta.dirname, '../../client/webhook-events.ts'), 'utf8')
  expect(bare(file)).toBe(bare(webhookEventsText()))
  const sent = (event: SentEvent): WebhookEvent => event
  const received = (event: WebhookEvent): SentEvent => event
  expect([sent, received]).toHaveLength(2)
})
