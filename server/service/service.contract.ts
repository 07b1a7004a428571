import { z } from 'zod'
import { route } from '../contract.js'
import { zProtocolReply } from '../protocol/oauth/reply.js'

export const greeting = {
  meta: route('GET', '/', {
    tag: 'Operations',
    summary: 'A greeting',
    description: 'One sentence, for whoever opens the address in a browser.',
    access: 'public',
    kind: 'protocol',
    envelope: true,
    produces: 'text/plain',
  }),
  input: z.object({}),
  output: zProtocolReply,
}

export const version = {
  meta: route('GET', '/version', {
    tag: 'Operations',
    summary: 'Name and running version',
    description: "`version` is that of the running release; `info.version` of this document is the interface's.",
    access: 'public',
  }),
  input: z.strictObject({}).prefault({}),
  output: z.object({ name: z.string(), version: z.string() }),
}
