import { paged } from '../api/paging.js'
import { changingLists, procedure, reading, router } from '../api/trpc.js'
import {
  certifyIssuer,
  certifyVerifier,
  changeIssuerSigning,
  createDid,
  createIssuer,
  createVerifier,
  listDids,
  listIssuers,
  listVerifiers,
  readDid,
  readIssuer,
  readVerifier,
  requestIssuerCertificate,
  requestVerifierCertificate,
} from './agent.contract.js'
import { type AgentDids, listedDid } from './dids.js'
import type { IssuerCertificates } from './issuer-certificate.js'
import type { Records } from './records.js'
import type { VerifierCertificates } from './verifier-certificate.js'

/** The router of the operations that admins have for records and DIDs. */
export interface Agent {
  readonly records: Records
  readonly dids: AgentDids
  readonly certificates: VerifierCertificates
  readonly issuerCertificates: IssuerCertificates
}

export const agentRouter = ({ records, dids, certificates, issuerCertificates }: Agent) =>
  router({
    createIssuer: procedure(createIssuer)
      .use(changingLists)
      .mutation(async ({ ctx: { caller }, input }) =>
        records.shownIssuer(await records.createIssuer(input, caller.sub)),
      ),

    issuers: procedure(listIssuers)
      .use(reading(records.lists))
      .query(async ({ ctx, input }) => {
        const rows = await paged(
          ctx,
          input,
          (store, part) => store.issuers(ctx.caller.sub, part),
          (row) => row,
        )
        return rows.map(records.shownIssuer)
      }),

    issuer: procedure(readIssuer).query(async ({ ctx: { caller }, input }) =>
      records.shownIssuer(await records.issuer(input.id, caller.sub)),
    ),

    createVerifier: procedure(createVerifier)
      .use(changingLists)
      .mutation(async ({ ctx: { caller }, input }) =>
        records.shownVerifier(await records.createVerifier(input, caller.sub)),
      ),

    verifiers: procedure(listVerifiers)
      .use(reading(records.lists))
      .query(async ({ ctx, input }) => {
        const rows = await paged(
          ctx,
          input,
          (store, part) => store.verifiers(ctx.caller.sub, part),
          (row) => row,
        )
        return rows.map(records.shownVerifier)
      }),

    verifier: procedure(readVerifier).query(async ({ ctx: { caller }, input }) =>
      records.shownVerifier(await records.verifier(input.id, caller.sub)),
    ),

    requestVerifierCertificate: procedure(requestVerifierCertificate).query(({ ctx: { caller }, input }) =>
      certificates.request(input, caller.sub),
    ),

    certifyVerifier: procedure(certifyVerifier)
      .use(changingLists)
      .mutation(({ ctx: { caller }, input }) => certificates.take(input, caller.sub)),

    requestIssuerCertificate: procedure(requestIssuerCertificate).query(({ ctx: { caller }, input }) =>
      issuerCertificates.request(input, caller.sub),
    ),

    certifyIssuer: procedure(certifyIssuer)
      .use(changingLists)
      .mutation(({ ctx: { caller }, input }) => issuerCertificates.take(input, caller.sub)),

    changeIssuerSigning: procedure(changeIssuerSigning)
      .use(changingLists)
      .mutation(async ({ ctx: { caller }, input }) =>
        records.shownIssuer(await issuerCertificates.change(input, caller.sub)),
      ),

    createDid: procedure(createDid)
      .use(changingLists)
      .mutation(({ ctx: { caller }, input }) => dids.create(input.method, caller.sub)),

    dids: procedure(listDids)
      .use(reading(dids.lists))
      .query(async ({ ctx, input }) => {
        const rows = await paged(
          ctx,
          input,
          (store, part) => store.createdBy(ctx.caller.sub, part),
          ({ createdAt, did }) => ({ createdAt, id: did }),
        )
        return rows.map(listedDid)
      }),

    did: procedure(readDid).query(({ input }) => dids.read(input.did)),
  })
