import { isObject } from '../protocol/json/json-object.js'
import type { Content, ContentStore, Kind } from './content-store.js'
import { type EventType, WITH_CLAIMS } from './events.js'
import type { Claimed, WaitingEvent } from './outbox-store.js'

/** The event of a delivery, and the kind of its payload. */
export type ToSend = Pick<Claimed, 'event' | 'payload'>

const PARTS: readonly { readonly kind: Kind; readonly id: string; readonly of: (type: EventType) => boolean }[] = [
  { kind: 'offer', id: 'credentialOfferSessionId', of: (type) => type.startsWith('credential_offer.') },
  { kind: 'verification', id: 'verificationSessionId', of: (type) => type.startsWith('verification.') },
  { kind: 'credential', id: 'credentialId', of: (type) => type.startsWith('credential.') },
]

/** The kind and the id of the thing that an event is about; undefined for a test. */
function thingOf({ type, data }: WaitingEvent): { readonly kind: Kind; readonly id: string } | undefined {
  const part = PARTS.find((known) => known.of(type))
  return part === undefined ? undefined : { kind: part.kind, id: String(data[part.id]) }
}

const needsClaims = ({ payload, event }: ToSend): boolean => payload === 'full' && WITH_CLAIMS.includes(event.type)

/** The claims in their stored form: the subject of an offer or a credential, or the credentials of a result. */
function claimsIn(kind: Kind, stored: unknown): unknown {
  if (kind !== 'credential') return stored
  const subject = isObject(stored) ? stored.credentialSubject : undefined
  return isObject(subject) ? subject : null
}

function failedChecks({ checks, dcqlQuery }: Content) {
  const formats = new Map(dcqlQuery?.credentials.map(({ id, format }) => [id, format]))
  return checks.flatMap(({ credentialQueryId, failed }) => {
    if (failed === null) return []
    const format = credentialQueryId === null ? undefined : formats.get(credentialQueryId)
    return [{ credentialQueryId, ...(format === undefined ? {} : { format }), ...failed }]
  })
}

/** The members of `data` that are read when the event is sent. */
function readMembers(sent: ToSend, kind: Kind, content: Content | undefined): Record<string, unknown> {
  const { reference, label } = content?.names ?? {}
  const failed = sent.event.type === 'verification.failed' && content !== undefined ? failedChecks(content) : []
  const claims = needsClaims(sent) ? (claimsIn(kind, content?.claims ?? null) ?? null) : undefined
  return {
    ...(reference === undefined ? {} : { reference }),
    ...(label === undefined || sent.payload === 'thin' ? {} : { label }),
    ...(failed.length === 0 ? {} : { failedChecks: failed }),
    ...(claims === undefined ? {} : { claims }),
    ...(claims === null ? { claimsGone: true } : {}),
  }
}

/**
 * Makes the bodies of deliveries (Standard Webhooks 1.0.0, "Payload structure"). Names, failed checks and claims are read now, in at
 * most one statement for each kind of thing. They are in memory only.
 */
export async function bodiesOf(store: Pick<ContentStore, 'read'>, all: readonly ToSend[]): Promise<string[]> {
  const things = all.map((sent) => ({ sent, thing: thingOf(sent.event) }))
  const kinds = [...new Set(things.flatMap(({ thing }) => (thing === undefined ? [] : [thing.kind])))]
  const contents = new Map(
    await Promise.all(
      kinds.map(async (kind) => {
        const ofKind = things.flatMap(({ sent, thing }) => (thing?.kind === kind ? [{ sent, id: thing.id }] : []))
        const full = ofKind.filter(({ sent }) => needsClaims(sent)).map(({ id }) => id)
        const ids = ofKind.map(({ id }) => id)
        return [kind, await store.read(kind, [...new Set(ids)], [...new Set(full)])] as const
      }),
    ),
  )
  return things.map(({ sent, thing }) => {
    const { type, at, data } = sent.event
    const read = thing === undefined ? {} : readMembers(sent, thing.kind, contents.get(thing.kind)?.get(thing.id))
    return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: { ...data, ...read } })
  })
}
