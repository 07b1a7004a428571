import { procedure, router } from '../../api/trpc.js'
import { deleteQrCode, qrCodeImage, readQrCode } from './qr-codes.contract.js'
import type { QrCodes } from './qr-codes.js'

export const qrCodesRouter = (qrCodes: QrCodes) =>
  router({
    read: procedure(readQrCode).query(({ ctx, input }) => qrCodes.answer(ctx, input.id)),

    delete: procedure(deleteQrCode).mutation(({ input }) => qrCodes.delete(input.id)),

    image: procedure(qrCodeImage)
      // superjson serialises bytes by their class name and does not know Buffer, only Uint8Array.
      .query(async ({ ctx: { work }, input }) => new Uint8Array(await qrCodes.imageAt(input.url, work))),
  })
