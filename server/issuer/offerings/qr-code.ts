import type { Context } from '../../api/context.js'
import { errors } from '../../api/errors.js'
import { qrCodeAnswer } from '../../pages/qr-code-answer.js'
import { offeringFullUrl } from './offering-json.js'
import { pageOfOffering } from './page.js'

/** The QR code of an offering, in the form that the request asks for. @throws 404 where there is no such offering. */
export async function qrCodeOfOffering(ctx: Context, id: string): Promise<string> {
  const { config, stores } = ctx.deps
  return qrCodeAnswer(ctx, config.issuerBaseUrl, {
    code: await stores.offerings.find(id),
    textOf: (row) => offeringFullUrl(config, row),
    pageOf: (row) => pageOfOffering(ctx, row),
    notFound: errors.offeringNotFound,
  })
}
