import { listed } from '../../api/paging.js'
import { changingLists, procedure, reading, router } from '../../api/trpc.js'
import {
  listIssuerSigners,
  listVerifierSigners,
  readIssuerSigner,
  readVerifierSigner,
  renameIssuer,
  renameVerifier,
} from './signers.contract.js'
import type { Signers } from './signers.js'

export const signersRouter = (signers: Signers) =>
  router({
    issuers: procedure(listIssuerSigners)
      .use(reading(signers.lists))
      .query(({ ctx, input }) =>
        listed(
          ctx,
          input,
          (store, part) => store.page('issuer', part),
          (signer) => signers.shown('issuer', signer, ctx.caller),
        ),
      ),

    issuer: procedure(readIssuerSigner).query(({ ctx: { caller }, input }) => signers.issuer(input.id, caller)),

    renameIssuer: procedure(renameIssuer)
      .use(changingLists)
      .mutation(({ ctx: { caller }, input }) => signers.rename('issuer', input, caller)),

    verifiers: procedure(listVerifierSigners)
      .use(reading(signers.lists))
      .query(({ ctx, input }) =>
        listed(
          ctx,
          input,
          (store, part) => store.page('verifier', part),
          (signer) => signers.shown('verifier', signer, ctx.caller),
        ),
      ),

    verifier: procedure(readVerifierSigner).query(({ ctx: { caller }, input }) => signers.verifier(input.id, caller)),

    renameVerifier: procedure(renameVerifier)
      .use(changingLists)
      .mutation(({ ctx: { caller }, input }) => signers.rename('verifier', input, caller)),
  })
