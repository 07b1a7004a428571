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

/** The longest accepted language tag. */
const MAX_TAG = 35

export const chooseLanguage = {
  meta: route('GET', '/pages/language', {
    tag: 'Pages',
    access: 'public',
    open: true,
    kind: 'page',
    summary: 'Choose the language of the pages',
    description:
      'Stores the language in a cookie of the browser, and redirects to the page that the browser comes from (`Referer`). Only ' +
      'pages of this service are redirected to.',
    errors: [400],
  }),
  input: z.object({ to: z.string().max(MAX_TAG) }),
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
