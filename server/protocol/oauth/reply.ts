import { z } from 'zod'

/** What a protocol endpoint answers: a JSON object, or text with its own content-type header. */
export const zProtocolReply = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.union([z.record(z.string(), z.unknown()), z.string()]).optional(),
})

export type ProtocolReply = z.infer<typeof zProtocolReply>
