import { errors } from '../../errors.js'
import { qrCodeDataUri } from '../../qr-code.js'
import { publicProcedure, router, verifierClientProcedure } from '../../trpc.js'
import { qrCodeContent, qrCodeImageAt } from './image.js'
import { deleteQrCode, qrCodeImage, readQrCode } from './qr-codes.contract.js'

export const qrCodesRouter = router({
  read: publicProcedure
    .meta(readQrCode.meta)
    .input(readQrCode.input)
    .output(readQrCode.output)
    .query(async ({ ctx: { deps }, input }) => qrCodeDataUri(await qrCodeContent(deps, input.id))),

  delete: verifierClientProcedure
    .meta(deleteQrCode.meta)
    .input(deleteQrCode.input)
    .output(deleteQrCode.output)
    .mutation(async ({ ctx: { deps }, input }) => {
      if (!(await deps.stores.verificationSessions.deleteQrCode(input.id))) throw errors.qrCodeNotFound()
    }),

  image: publicProcedure
    .meta(qrCodeImage.meta)
    .input(qrCodeImage.input)
    .output(qrCodeImage.output)
    // superjson serialises bytes by their class name and does not know Buffer, only Uint8Array.
    .query(async ({ ctx: { deps, work }, input }) => new Uint8Array(await qrCodeImageAt(deps, input.url, work))),
})
