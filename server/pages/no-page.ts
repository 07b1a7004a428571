import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { messagePage } from './page.js'

/** The page where there is none. */
export const noPage = (baseUrl: string): ProtocolReply =>
  messagePage(
    baseUrl,
    404,
    'There is nothing here',
    'This page is unknown, or ended some time ago. Ask whoever sent you here for a new one.',
  )
