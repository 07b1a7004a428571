import { listed } from '../../api/paging.js'
import { changingLists, listing, procedure, router } from '../../api/trpc.js'
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
  issuers: procedure(listIssuerSigners)
    .use(listing)
    .query(({ ctx, input }) =>
      listed(
        ctx,
        input,
        ({ signers }, part) => signers.page('issuer', part),
        (signer) => shownSigner(signer, ctx.caller),
      ),
    ),

  issuer: procedure(readIssuerSigner).query(({ ctx: { deps, caller }, input }) => issuerSigner(deps, input.id, caller)),

  renameIssuer: procedure(renameIssuer)
    .use(changingLists)
    .mutation(({ ctx: { deps, caller }, input }) => renameSigner(deps, 'issuer', input, caller)),

  verifiers: procedure(listVerifierSigners)
    .use(listing)
    .query(({ ctx, input }) =>
      listed(
        ctx,
        input,
        ({ signers }, part) => signers.page('verifier', part),
        (signer) => shownSigner(signer, ctx.caller),
      ),
    ),

  verifier: procedure(readVerifierSigner).query(({ ctx: { deps, caller }, input }) =>
    verifierSigner(deps, input.id, caller),
  ),

  renameVerifier: procedure(renameVerifier)
    .use(changingLists)
    .mutation(({ ctx: { deps, caller }, input }) => renameSigner(deps, 'verifier', input, caller)),
})
