import { z } from 'zod'
import { EVENT_TYPES, EVENTS, eventSchema } from '../../server/webhooks/events.js'
import { docComment, type JsonSchema, typeText } from './type-text.js'

/** `verification.completed` → `VerificationCompleted` */
const nameOf = (type: string): string =>
  type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Writes the module client/webhook-events.ts: a type for each event of webhooks, and the union of these types. */
export function webhookEventsText(): string {
  const types = EVENT_TYPES.map((type) => {
    const schema = z.toJSONSchema(eventSchema(type), { io: 'output' }) as JsonSchema
    return `${docComment(EVENTS[type][0], '')}export type ${nameOf(type)} = ${typeText(schema)}\n`
  })
  const union = EVENT_TYPES.map((type) => `  | ${nameOf(type)}\n`).join('')
  return `// Written from the event types of the service; see scripts/client in its source.

${types.join('\n')}
/** The body of a delivery. \`type\` distinguishes the events. */
export type WebhookEvent =
${union}`
}
