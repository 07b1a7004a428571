import { errors } from '../api/errors.js'
import { paged } from '../api/paging.js'
import { changingLists, listing, procedure, router } from '../api/trpc.js'
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
  createIssuer: procedure(createIssuer)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, caller }, input }) =>
      shownRecord(await createRecord(deps, 'issuer', input, caller.sub)),
    ),

  issuers: procedure(listIssuers)
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

  issuer: procedure(readIssuer).query(async ({ ctx: { deps, caller }, input }) => {
    const record = await deps.stores.agents.issuer(input.id, caller.sub)
    if (record === undefined) throw errors.issuerNotFound()
    return shownRecord(record)
  }),

  createVerifier: procedure(createVerifier)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, caller }, input }) =>
      shownRecord(await createRecord(deps, 'verifier', input, caller.sub)),
    ),

  verifiers: procedure(listVerifiers)
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

  verifier: procedure(readVerifier).query(async ({ ctx: { deps, caller }, input }) => {
    const record = await deps.stores.agents.verifier(input.id, caller.sub)
    if (record === undefined) throw errors.verifierNotFound()
    return shownRecord(record)
  }),

  requestVerifierCertificate: procedure(requestVerifierCertificate).query(({ ctx: { deps, caller }, input }) =>
    requestCertificate(deps, input.id, caller.sub),
  ),

  certifyVerifier: procedure(certifyVerifierContract)
    .use(changingLists)
    .mutation(({ ctx: { deps, caller }, input }) => certifyVerifier(deps, input, caller.sub)),

  createDid: procedure(createDid)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, caller }, input }) =>
      shownDid(deps, await createAgentDid(deps, input.method, caller.sub)),
    ),

  dids: procedure(listDids)
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

  did: procedure(readDid).query(async ({ ctx: { deps }, input }) => {
    const found = await deps.stores.dids.findAny(didSpellings(input.did))
    return found === undefined ? null : shownDid(deps, found)
  }),
})
