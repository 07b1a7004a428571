import { type Context, onlyLooks } from '../../api/context.js'
import { errors } from '../../api/errors.js'
import { presentPageUrl } from '../../pages/addresses.js'
import { onDemandPageId } from '../../pages/on-demand.js'
import { newPageOf } from '../authorization-requests/page.js'
import type { RequestQrCode } from './image.js'

/**
 * The page behind a QR code: the one whose address it holds, else one that is made on demand. The latter is none of the
 * page that its maker may have sent somebody to, which is bound to the browser that opens it first.
 *
 * @returns its address
 * @throws 404 where the session was removed meanwhile
 */
export async function pageOfQrCode({ deps, request }: Context, { sessionId, pageId }: RequestQrCode): Promise<string> {
  const { config, stores } = deps
  if (pageId !== null) return presentPageUrl(config, pageId)
  const id = onDemandPageId(deps, 'present', sessionId)
  if (onlyLooks(request)) return presentPageUrl(config, id)
  const session = await stores.pages.session(sessionId)
  if (session === undefined) throw errors.qrCodeNotFound()
  await stores.pages.createOnDemand({ ...newPageOf(deps, { id: sessionId, ...session }), id })
  return presentPageUrl(config, id)
}
