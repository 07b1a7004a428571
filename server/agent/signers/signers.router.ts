import { listed } from '../../paging.js'
import {
  adminProcedure,
  changingLists,
  issuerOperatorProcedure,
  listing,
  router,
  verifierOperatorProcedure,
} from '../../trpc.js'
import {
  listIssuerSigners,
  listVerifierSigners,
  readIssuerSigner,
  readVerifierSigner,
  renameIssuer,
  renameVerifier,
} from './signers.contract.js'
import { issuerSigner, renameSigner, shownSigner, verifierSigner } from './signers.js'

export const signersRouter = router({
  issuers: issuerOperatorProcedure
    .meta(listIssuerSigners.meta)
    .input(listIssuerSigners.input)
    .output(listIssuerSigners.output)
    .use(listing)
    .query(({ ctx, input }) =>
      listed(
        ctx,
        input,
        ({ signers }, part) => signers.page('issuer', part),
        (signer) => shownSigner(signer, ctx.caller),
      ),
    ),

  issuer: issuerOperatorProcedure
    .meta(readIssuerSigner.meta)
    .input(readIssuerSigner.input)
    .output(readIssuerSigner.output)
    .query(({ ctx: { deps, caller }, input }) => issuerSigner(deps, input.id, caller)),

  renameIssuer: adminProcedure
    .meta(renameIssuer.meta)
    .input(renameIssuer.input)
    .output(renameIssuer.output)
    .use(changingLists)
    .mutation(({ ctx: { deps, caller }, input }) => renameSigner(deps, 'issuer', input, caller)),

  verifiers: verifierOperatorProcedure
    .meta(listVerifierSigners.meta)
    .input(listVerifierSigners.input)
    .output(listVerifierSigners.output)
    .use(listing)
    .query(({ ctx, input }) =>
      listed(
        ctx,
        input,
        ({ signers }, part) => signers.page('verifier', part),
        (signer) => shownSigner(signer, ctx.caller),
      ),
    ),

  verifier: verifierOperatorProcedure
    .meta(readVerifierSigner.meta)
    .input(readVerifierSigner.input)
    .output(readVerifierSigner.output)
    .query(({ ctx: { deps, caller }, input }) => verifierSigner(deps, input.id, caller)),

  renameVerifier: adminProcedure
    .meta(renameVerifier.meta)
    .input(renameVerifier.input)
    .output(renameVerifier.output)
    .use(changingLists)
    .mutation(({ ctx: { deps, caller }, input }) => renameSigner(deps, 'verifier', input, caller)),
})
