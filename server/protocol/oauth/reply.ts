import { z } from 'zod'

const zBytes = z
  .custom<Uint8Array>((value) => value instanceof Uint8Array)
  .meta({ override: { type: 'string', format: 'binary' } })

/** The answer of a protocol endpoint: a JSON object, or text or bytes together with a content-type header. */
export const zProtocolReply = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.union([z.record(z.string(), z.unknown()), z.string(), zBytes]).optional(),
})

export type ProtocolReply = z.infer<typeof zProtocolReply>
