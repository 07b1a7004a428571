import { z } from 'zod'
import { route } from '../contract.js'
import { zProtocolReply } from '../protocol/oauth/reply.js'

export const stylesheet = {
  meta: route('GET', '/pages/style.css', {
    tag: 'Pages',
    summary: 'The style sheet of the pages',
    description: 'The only thing that the pages for people load.',
    access: 'public',
    kind: 'protocol',
    produces: 'text/css',
  }),
  input: z.object({}),
  output: zProtocolReply,
}
