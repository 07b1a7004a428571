import { z } from 'zod'
import { route } from '../api/contract.js'
import { zProtocolReply } from '../protocol/oauth/reply.js'

export const greeting = {
  meta: route('GET', '/', {
    tag: 'Operations',
    summary: 'A greeting',
    description: 'One sentence. A browser, which asks for HTML, gets a page with version, health and links.',
    access: 'public',
    open: true,
    kind: 'protocol',
    envelope: true,
    produces: 'text/plain',
    alsoProduces: ['text/html'],
  }),
  input: z.object({}),
  output: zProtocolReply,
}

export const version = {
  meta: route('GET', '/version', {
    tag: 'Operations',
    summary: 'Name and running version',
    description:
      '`version` is the version of the running release. `info.version` of this document is the version of the API.',
    access: 'public',
  }),
  input: z.strictObject({}).prefault({}),
  output: z.object({ name: z.string(), version: z.string() }),
}
