import { z } from 'zod'
import { route } from '../api/contract.js'
import { zProtocolReply } from '../protocol/oauth/reply.js'

const ofPages = { tag: 'Pages', access: 'public', open: true, kind: 'protocol' } as const

export const stylesheet = {
  meta: route('GET', '/pages/style.css', {
    ...ofPages,
    summary: 'The style sheet of the pages',
    description: 'The style sheet of all pages for people.',
    // The rate limit does not count the file, because the page about too many requests needs it too.
    counted: false,
    produces: 'text/css',
  }),
  input: z.object({}),
  output: zProtocolReply,
}

export const liveScript = {
  meta: route('GET', '/pages/live.js', {
    ...ofPages,
    summary: 'The script of the pages',
    description: 'Updates a share page while it is open. Pages also work without it.',
    produces: 'text/javascript',
  }),
  input: z.object({}),
  output: zProtocolReply,
}
