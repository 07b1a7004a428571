import { errors } from '../errors.js'
import { paged } from '../paging.js'
import { adminProcedure, changingLists, listing, router } from '../trpc.js'
import {
  certifyVerifier as certifyVerifierContract,
  createDid,
  createIssuer,
  createVerifier,
  listDids,
  listIssuers,
  listVerifiers,
  readDid,
  readIssuer,
  readVerifier,
  requestVerifierCertificate,
} from './agent.contract.js'
import { createAgentDid, didSpellings, listedDid, shownDid } from './dids.js'
import { createRecord, shownRecord } from './records.js'
import { certifyVerifier, requestCertificate } from './verifier-certificate.js'

export const agentRouter = router({
  createIssuer: adminProcedure
    .meta(createIssuer.meta)
    .input(createIssuer.input)
    .output(createIssuer.output)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, caller }, input }) =>
      shownRecord(await createRecord(deps, 'issuer', input, caller.sub)),
    ),

  issuers: adminProcedure
    .meta(listIssuers.meta)
    .input(listIssuers.input)
    .output(listIssuers.output)
    .use(listing)
    .query(async ({ ctx, input }) => {
      const rows = await paged(
        ctx,
        input,
        ({ agents }, part) => agents.issuers(ctx.caller.sub, part),
        (row) => row,
      )
      return rows.map(shownRecord)
    }),

  issuer: adminProcedure
    .meta(readIssuer.meta)
    .input(readIssuer.input)
    .output(readIssuer.output)
    .query(async ({ ctx: { deps, caller }, input }) => {
      const record = await deps.stores.agents.issuer(input.id, caller.sub)
      if (record === undefined) throw errors.issuerNotFound()
      return shownRecord(record)
    }),

  createVerifier: adminProcedure
    .meta(createVerifier.meta)
    .input(createVerifier.input)
    .output(createVerifier.output)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, caller }, input }) =>
      shownRecord(await createRecord(deps, 'verifier', input, caller.sub)),
    ),

  verifiers: adminProcedure
    .meta(listVerifiers.meta)
    .input(listVerifiers.input)
    .output(listVerifiers.output)
    .use(listing)
    .query(async ({ ctx, input }) => {
      const rows = await paged(
        ctx,
        input,
        ({ agents }, part) => agents.verifiers(ctx.caller.sub, part),
        (row) => row,
      )
      return rows.map(shownRecord)
    }),

  verifier: adminProcedure
    .meta(readVerifier.meta)
    .input(readVerifier.input)
    .output(readVerifier.output)
    .query(async ({ ctx: { deps, caller }, input }) => {
      const record = await deps.stores.agents.verifier(input.id, caller.sub)
      if (record === undefined) throw errors.verifierNotFound()
      return shownRecord(record)
    }),

  requestVerifierCertificate: adminProcedure
    .meta(requestVerifierCertificate.meta)
    .input(requestVerifierCertificate.input)
    .output(requestVerifierCertificate.output)
    .query(({ ctx: { deps, caller }, input }) => requestCertificate(deps, input.id, caller.sub)),

  certifyVerifier: adminProcedure
    .meta(certifyVerifierContract.meta)
    .input(certifyVerifierContract.input)
    .output(certifyVerifierContract.output)
    .use(changingLists)
    .mutation(({ ctx: { deps, caller }, input }) => certifyVerifier(deps, input, caller.sub)),

  createDid: adminProcedure
    .meta(createDid.meta)
    .input(createDid.input)
    .output(createDid.output)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, caller }, input }) =>
      shownDid(deps, await createAgentDid(deps, input.method, caller.sub)),
    ),

  dids: adminProcedure
    .meta(listDids.meta)
    .input(listDids.input)
    .output(listDids.output)
    .use(listing)
    .query(async ({ ctx, input }) => {
      const rows = await paged(
        ctx,
        input,
        ({ dids }, part) => dids.createdBy(ctx.caller.sub, part),
        ({ createdAt, did }) => ({ createdAt, id: did }),
      )
      return rows.map(listedDid)
    }),

  did: adminProcedure
    .meta(readDid.meta)
    .input(readDid.input)
    .output(readDid.output)
    .query(async ({ ctx: { deps }, input }) => {
      const found = await deps.stores.dids.findAny(didSpellings(input.did))
      return found === undefined ? null : shownDid(deps, found)
    }),
})
