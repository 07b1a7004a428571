import type { Route } from './routes.js'

type JsonObject = Record<string, unknown>

const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A random text of at most 255 characters, in quotation marks. If the same caller sends the same request with the same key again within 24 hours, the service does nothing more and sends the first answer again.',
  schema: { type: 'string' },
  example: '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
}

const REPLAYED = {
  description: '`true` if the answer is the stored answer of an earlier request with the same `Idempotency-Key`.',
  schema: { type: 'string', enum: ['true'] },
}

/** Describes the headers of an operation that creates something (draft-ietf-httpapi-idempotency-key-header-07). */
export function addIdempotency(
  { rest }: Route,
  operation: JsonObject & { readonly responses: Record<string, JsonObject> },
): void {
  if (rest.idempotent !== true) return
  operation.parameters = [...((operation.parameters ?? []) as unknown[]), KEY]
  for (const [status, response] of Object.entries(operation.responses)) {
    if (Number(status) < 300)
      response.headers = { ...(response.headers as JsonObject | undefined), 'Idempotency-Replayed': REPLAYED }
  }
}
