import type { z } from 'zod'
import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import { isDeadlock } from '../database/errors.js'
import type { Outbound } from '../outbound/guard.js'
import { OutboundError } from '../outbound/outbound-error.js'
import { attempt } from './attempt.js'
import type { DeliveryStore, Delivery as StoredDelivery } from './delivery-store.js'
import { type EventType, halfOf } from './events.js'
import { type Maker, reachedBy } from './maker.js'
import type { WebhookSecrets } from './secrets.js'
import { FORMER_SIGNS_HOURS, newSecret, signedHeaders } from './signing.js'
import type { KeptWebhook, Webhook, WebhookStore } from './store.js'
import {
  type changeWebhook,
  type createWebhook,
  type listDeliveries,
  type listWebhooks,
  MAX_REPLAYED,
  MAX_WEBHOOKS,
  type replayWebhook,
  type rotateSecret,
  type testWebhook,
} from './webhooks.contract.js'

/**
 * How often a deletion is tried. The end of a try locks slots and the webhook in both orders. If a deletion and the end of a try
 * wait for each other, PostgreSQL ends one of them.
 */
const DELETIONS = 4

/** A webhook in the form of the API. */
export const shownWebhook = (row: Webhook): z.input<typeof listWebhooks.output>['items'][number] => ({
  id: row.id,
  url: row.url,
  events: row.events,
  ...(row.description === null ? {} : { description: row.description }),
  payload: row.payload,
  signature: row.signature,
  active: row.active,
  ...(row.publicKey === null ? {} : { publicKey: row.publicKey }),
  ...(row.createdBy === null ? {} : { createdBy: row.createdBy }),
  createdAt: row.createdAt.toISOString(),
  ...(row.disabledAt === null ? {} : { disabledAt: row.disabledAt.toISOString() }),
  ...(row.failingSince === null ? {} : { failingSince: row.failingSince.toISOString() }),
  ...(row.lastSuccessAt === null ? {} : { lastSuccessAt: row.lastSuccessAt.toISOString() }),
  ...(row.lastError === null ? {} : { lastError: row.lastError }),
  ...(row.lastErrorAt === null ? {} : { lastErrorAt: row.lastErrorAt.toISOString() }),
})

/** A delivery in the form of the API. */
export const shownDelivery = (row: StoredDelivery): z.input<typeof listDeliveries.output>['items'][number] => ({
  id: row.id,
  type: row.type,
  createdAt: row.createdAt.toISOString(),
  outcome: row.outcome,
  tries: row.tries,
  ...(row.triedAt === null ? {} : { triedAt: row.triedAt.toISOString() }),
  ...(row.status === null ? {} : { status: row.status }),
  ...(row.milliseconds === null ? {} : { milliseconds: row.milliseconds }),
  ...(row.answer === null ? {} : { answer: row.answer }),
  ...(row.error === null ? {} : { error: row.error }),
  data: row.data,
})

/** Dependencies of {@link createWebhooks}. */
export interface WebhooksPorts {
  readonly store: WebhookStore
  readonly deliveries: DeliveryStore
  readonly secrets: WebhookSecrets
  readonly outbound: Pick<Outbound, 'check' | 'fetch'>
  readonly config: Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>
  readonly clock: () => Date
  readonly newId: () => string
  /** Called when events may be due: of a new, activated or replayed webhook. */
  readonly onDue: () => void
}

export type Webhooks = ReturnType<typeof createWebhooks>

/** The origin of an address. A dot at the end of a host names the same host. */
const plainOrigin = (url: string): string => new URL(url).origin.replace(/\.(?=:\d+$|$)/, '')

type New = z.output<typeof createWebhook.input>
type Change = z.output<typeof changeWebhook.input>

/** Webhooks: addresses that are told of events (Standard Webhooks 1.0.0). Each webhook belongs to its creator. */
export function createWebhooks(ports: WebhooksPorts) {
  const { store, deliveries, secrets, outbound, config, clock, newId, onDue } = ports
  const ownOrigins = [config.issuerBaseUrl, config.verifierBaseUrl].map(plainOrigin)
  /** Webhooks that this process tests now. */
  const testing = new Set<string>()

  /** @throws 400 for an address that is private, not https, has a user name, or is this service */
  const assertAddress = async (url: string): Promise<void> => {
    if (URL.canParse(url) && ownOrigins.includes(plainOrigin(url)))
      throw errors.badRequest(`url must not be an address of this service: ${new URL(url).host}`)
    try {
      await outbound.check(url)
    } catch (thrown) {
      if (thrown instanceof OutboundError) throw errors.badRequest(`url cannot be used: ${thrown.message}`)
      throw thrown
    }
  }

  /** @throws 400 for an event of a half whose role the caller lacks */
  const assertEvents = (
    events: readonly string[],
    { issuing, verifying }: Pick<Maker, 'issuing' | 'verifying'>,
  ): void => {
    const denied = events.filter(
      (event) => event !== '*' && !(halfOf(event as EventType) === 'issuer' ? issuing : verifying),
    )
    if (denied.length > 0)
      throw errors.badRequest(`events names events that your role may not receive: ${denied.join(', ')}`)
  }

  const found = async (id: string, maker: Maker): Promise<KeptWebhook> => {
    const webhook = await store.find(id, reachedBy(maker))
    if (webhook === undefined) throw errors.webhookNotFound()
    return webhook
  }

  return {
    store,
    deliveries,

    /** @throws 404 for a webhook that the caller does not reach */
    read: found,

    /**
     * Creates a webhook. Its secret is shown only now.
     *
     * @throws 400 for an address or an event that may not be used; 409 if the caller has the highest number of webhooks
     */
    async create(input: New, maker: Maker): Promise<z.input<typeof createWebhook.output>> {
      assertEvents(input.events, maker)
      await assertAddress(input.url)
      const { payload = 'thin', signature = 'v1', active = true, description = null } = input
      const id = newId()
      const { secret, publicKey, shown } = newSecret(signature)
      const webhook = {
        ...{
          id,
          url: input.url,
          events: [...new Set(input.events)],
          description,
          payload,
          signature,
          active,
          publicKey,
        },
        ...{ createdBy: maker.sub, createdAt: clock(), ofAdmin: maker.isAdmin },
        ...{ issuing: maker.issuing, verifying: maker.verifying },
      }
      const stored = { ...webhook, secret: await secrets.protect(id, { current: secret }) }
      if (!(await store.create(stored, MAX_WEBHOOKS))) throw errors.tooManyWebhooks()
      if (active) onDue()
      const nothingYet = {
        disabledAt: null,
        failingSince: null,
        lastSuccessAt: null,
        lastError: null,
        lastErrorAt: null,
      }
      return { ...shownWebhook({ ...webhook, ...nothingYet }), secret: shown }
    },

    /** @throws 400 as {@link create}; 404 for a webhook that the caller does not reach */
    async change({ id, ...change }: Change, maker: Maker): Promise<Webhook> {
      if (change.events !== undefined) assertEvents(change.events, maker)
      if (change.url !== undefined) await assertAddress(change.url)
      const changed = await store.change(id, change, reachedBy(maker), maker.sub)
      if (changed === undefined) throw errors.webhookNotFound()
      if (changed.active) onDue()
      return changed
    },

    /** @throws 404 for a webhook that the caller does not reach */
    async remove(id: string, maker: Maker): Promise<void> {
      for (let deletion = 1; ; deletion += 1) {
        try {
          if (!(await store.remove(id, reachedBy(maker), maker.sub))) throw errors.webhookNotFound()
          return
        } catch (thrown) {
          if (deletion === DELETIONS || !isDeadlock(thrown)) throw thrown
        }
      }
    },

    /** Replaces the secret. The former secret also signs for a day. @throws 404 for a webhook that the caller does not reach */
    async rotate(id: string, maker: Maker): Promise<z.input<typeof rotateSecret.output>> {
      const until = new Date(clock().getTime() + FORMER_SIGNS_HOURS * 3_600_000).toISOString()
      for (;;) {
        const webhook = await found(id, maker)
        const { current } = await secrets.reveal(id, webhook.secret)
        const { secret, publicKey, shown } = newSecret(webhook.signature)
        const next = await secrets.protect(id, { current: secret, former: { secret: current, until } })
        // Another replacement at the same time, or the encryption of stored values, may have changed the secret meanwhile.
        if (await store.replaceSecret(id, { secret: next, publicKey }, webhook.secret, maker.sub))
          return { secret: shown, formerSignsUntil: until }
      }
    },

    /**
     * Sends a test and waits for the answer. No database connection is held meanwhile.
     *
     * @throws 404 for a webhook that the caller does not reach; 409 while another test of the webhook runs
     */
    async test(id: string, maker: Maker): Promise<z.input<typeof testWebhook.output>> {
      const webhook = await found(id, maker)
      if (testing.has(id)) throw errors.webhookTestRunning()
      testing.add(id)
      try {
        const at = clock()
        const data = { webhookId: id }
        const body = JSON.stringify({ type: 'webhook.test', timestamp: at.toISOString(), data })
        const message = { id: `msg_${newId().replaceAll('-', '')}`, body, now: at }
        const headers = signedHeaders(await secrets.reveal(id, webhook.secret), message)
        const { delivered, gone: _, ...shown } = await attempt(outbound, webhook.url, { headers, body })
        const { status = null, answer = null, error = null, milliseconds } = shown
        await deliveries.recordTest({
          ...{ id: message.id, webhookId: id, at, data, delivered },
          ...{ status, milliseconds, answer, error },
        })
        const sent = Object.entries(headers).map(([name, value]) => ({ name, value }))
        return { delivered, sent: { url: webhook.url, headers: sent, body }, ...shown }
      } finally {
        testing.delete(id)
      }
    },

    /** @throws 404 for an unknown webhook or delivery; 409 if the webhook is not active or the delivery still waits */
    async resend(id: string, deliveryId: string, maker: Maker): Promise<{ id: string; outcome: 'pending' }> {
      const webhook = await found(id, maker)
      if (!webhook.active) throw errors.webhookInactive()
      const before = await deliveries.resend(id, deliveryId)
      if (before === undefined) throw errors.webhookDeliveryNotFound()
      if (before === 'pending') throw errors.webhookDeliveryPending()
      onDue()
      return { id: deliveryId, outcome: 'pending' }
    },

    /** @throws 400 if the period has too many events; 404 for an unknown webhook; 409 if the webhook is not active */
    async replay({ id, from, to }: z.output<typeof replayWebhook.input>, maker: Maker): Promise<{ replayed: number }> {
      const webhook = await found(id, maker)
      if (!webhook.active) throw errors.webhookInactive()
      const until = to === undefined ? clock() : new Date(to)
      const replayed = await deliveries.replay(
        { webhookId: id, replayId: newId() },
        new Date(from),
        until,
        MAX_REPLAYED,
      )
      if (replayed > MAX_REPLAYED)
        throw errors.badRequest(`from and to enclose more than ${MAX_REPLAYED} events: choose a shorter period`)
      await store.recordReplay(id, maker.sub)
      onDue()
      return { replayed }
    },
  }
}
