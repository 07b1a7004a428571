import { messagePage } from '../pages/page.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'

/** The page where there is none. */
export const noPage = (baseUrl: string): ProtocolReply =>
  messagePage(baseUrl, 404, 'There is nothing here', 'This page is unknown, or ended some time ago.')
