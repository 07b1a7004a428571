import type { Context } from '../../context.js'
import { languagesOf } from '../../pages/languages.js'
import { noPage } from '../../pages/no-page.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { receivePage } from './page.js'

/** The page of an offer or an offering, the same for everybody. */
export async function showReceivePage({ deps, request }: Context, id: string): Promise<ProtocolReply> {
  const stored = await deps.stores.pages.receive(id)
  return stored === undefined
    ? noPage(deps.config.issuerBaseUrl)
    : receivePage(deps, id, stored, languagesOf(request.headers['accept-language']))
}
