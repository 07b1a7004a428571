import { errors } from '../../api/errors.js'
import { procedure, router } from '../../api/trpc.js'
import { qrCodeAnswer } from '../../pages/qr-code-answer.js'
import { findQrCode, qrCodeImageAt, textOf } from './image.js'
import { pageOfQrCode } from './page.js'
import { deleteQrCode, qrCodeImage, readQrCode } from './qr-codes.contract.js'

export const qrCodesRouter = router({
  read: procedure(readQrCode).query(async ({ ctx, input }) => {
    const code = await findQrCode(ctx.deps, input.id)
    return qrCodeAnswer(ctx, ctx.deps.config.verifierBaseUrl, {
      code,
      textOf: (found) => textOf(ctx.deps, found),
      pageOf: (found) => pageOfQrCode(ctx, found),
      notFound: errors.qrCodeNotFound,
    })
  }),

  delete: procedure(deleteQrCode).mutation(async ({ ctx: { deps }, input }) => {
    if (!(await deps.stores.verificationSessions.deleteQrCode(input.id))) throw errors.qrCodeNotFound()
  }),

  image: procedure(qrCodeImage)
    // superjson serialises bytes by their class name and does not know Buffer, only Uint8Array.
    .query(async ({ ctx: { deps, work }, input }) => new Uint8Array(await qrCodeImageAt(deps, input.url, work))),
})
