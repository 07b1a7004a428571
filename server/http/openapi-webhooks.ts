import { z } from 'zod'
import { EVENT_TYPES, EVENTS, eventSchema, halfOf } from '../webhooks/events.js'

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const HEADERS = [
  header('webhook-id', 'The id of the delivery. It is the same at each try.', 'msg_2b8c0b1f6a1f4a0ca5a3c2d7a3d1c9e4'),
  header('webhook-timestamp', 'The time of the try, in seconds since 1970. Refuse old deliveries.', '1772359200'),
  header(
    'webhook-signature',
    'Signatures of `{webhook-id}.{webhook-timestamp}.{body}`, separated by spaces. After a replacement of the secret there are two.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
]

const answers = {
  '2XX': { description: 'The delivery was received. The service sends it no more.' },
  '410': { description: 'The receiver wants no more deliveries. The service switches the webhook off.' },
  default: { description: 'The delivery failed. The service tries it again, ten times in all.' },
}

/** The member `webhooks` of the OpenAPI document (OpenAPI 3.1 §4.8.1): one request for each event type. */
export const openApiWebhooks = (): Record<string, unknown> =>
  Object.fromEntries(
    EVENT_TYPES.map((type) => {
      const { $schema: _, ...schema } = z.toJSONSchema(eventSchema(type), { io: 'output' })
      const operation = {
        tags: ['Webhooks'],
        operationId: `webhook-${type}`,
        summary: EVENTS[type][0],
        description:
          type === 'webhook.test'
            ? 'Sent on request. Deliveries follow Standard Webhooks 1.0.0.'
            : `Sent to webhooks of callers who may ${halfOf(type) === 'issuer' ? 'issue' : 'verify'}. Deliveries follow Standard Webhooks 1.0.0.`,
        security: [],
        parameters: HEADERS,
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: answers,
      }
      return [type, { post: operation }]
    }),
  )
