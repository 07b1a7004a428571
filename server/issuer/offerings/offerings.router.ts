import { type Caller, isAdmin } from '../../auth/caller.js'
import type { Deps } from '../../deps.js'
import { errors } from '../../errors.js'
import { qrCodeAnswer } from '../../pages/qr-code-answer.js'
import { awaited, paged } from '../../paging.js'
import { changingLists, listing, procedure, router } from '../../trpc.js'
import { issuanceContext } from '../issuance/issuer-context.js'
import { assertSubject } from '../issuance/subject.js'
import { claim } from './claim.js'
import { configurationsOf, detailView, offeringFullUrl, offeringView, redemptionView } from './offering-json.js'
import { claimOffering, createOffering, listOfferings, offeringQrCode, readOffering } from './offerings.contract.js'
import { pageOfOffering } from './page.js'
import { type OfferingRow, type RedemptionRow, type RedemptionScope, SURE_OFFERINGS } from './store.js'

interface Reader {
  readonly caller: Caller | undefined
  readonly client: boolean
}

const seesEverything = ({ caller, client }: Reader) => client || (caller !== undefined && isAdmin(caller))

/** The subject of a recipient-bound offering is shown only to its recipient and to callers who may read everything. */
async function maySeeSubject(deps: Pick<Deps, 'stores'>, row: OfferingRow, reader: Reader): Promise<boolean> {
  if (row.recipient === null || seesEverything(reader)) return true
  if (reader.caller === undefined) return false
  if (reader.caller.tokenDids.includes(row.recipient)) return true
  return (await deps.stores.dids.holderDidsOf(reader.caller.sub)).includes(row.recipient)
}

function assertFuture(expiresAt: Date | undefined, now: Date): void {
  if (expiresAt !== undefined && expiresAt <= now) throw errors.badRequest('expires_at must lie in the future')
}

function assertSameSubject(subjectId: unknown, recipient: string | undefined): void {
  if (subjectId !== undefined && recipient !== undefined && subjectId !== recipient) {
    throw errors.badRequest('credential_subject.id must be the recipient')
  }
}

const idsOf = (rows: readonly OfferingRow[]) => rows.map(({ id }) => id)

function groupedByOffering(redemptions: readonly RedemptionRow[]): Map<string, RedemptionRow[]> {
  const groups = new Map<string, RedemptionRow[]>()
  for (const redemption of redemptions) {
    const group = groups.get(redemption.offeringId)
    if (group === undefined) groups.set(redemption.offeringId, [redemption])
    else group.push(redemption)
  }
  return groups
}

export const offeringsRouter = router({
  list: procedure(listOfferings)
    .use(listing)
    .query(async ({ ctx, input }) => {
      const { deps, caller } = ctx
      const everything = seesEverything(ctx)
      const scope: RedemptionScope | undefined = everything ? 'all' : caller && { redeemedBy: caller.sub }
      const rows = await paged(
        ctx,
        input,
        ({ offerings }, part) => offerings.list(!everything, part),
        (row) => row,
        scope &&
          (async (all) =>
            all.length <= SURE_OFFERINGS
              ? all.length
              : ctx.lists(({ offerings }) => offerings.roomFor(idsOf(all), scope))),
      )
      if (scope === undefined) return rows.map((row) => offeringView(deps, row, true))
      const redemptions = await awaited(ctx, ({ offerings }) => offerings.redemptions(idsOf(rows), scope))
      const byOffering = groupedByOffering(redemptions)
      const configurations = configurationsOf(deps.config, redemptions)
      return rows.map((row) => {
        const offering = offeringView(deps, row, true)
        const own = byOffering.get(row.id) ?? []
        return {
          ...offering,
          redemptions: own.map((redemption) => {
            const configuration = configurations.get(redemption.schemaId)
            if (configuration === undefined) throw new TypeError('The schema of a redeemed credential was not read.')
            return redemptionView(redemption, offering, configuration)
          }),
        }
      })
    }),

  create: procedure(createOffering)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, work, caller }, input }) => {
      const now = deps.clock()
      const expiresAt = input.expires_at == null ? undefined : new Date(input.expires_at)
      assertFuture(expiresAt, now)
      assertSameSubject(input.credential_subject.id, input.recipient)
      const context = await issuanceContext(deps, input.credential_type, input.issuerId, 'client')
      await assertSubject(deps.formats, context, input.credential_subject, 'credential_subject', work)
      const offering = {
        id: deps.newId(),
        credentialSubject: input.credential_subject,
        recipient: input.recipient ?? null,
        redemptionLimit: input.redemption_limit ?? null,
        expiresAt: expiresAt ?? null,
        createdAt: now,
      }
      const inserted = { ...offering, schemaId: context.id, issuerId: context.issuerId }
      await deps.stores.offerings.insert(inserted, caller?.sub ?? null)
      const row = {
        ...offering,
        schemaName: context.name,
        asMdoc: context.mdoc !== null && context.x5c !== null,
        schemaTitle: context.title,
        schemaDisplay: context.display,
      }
      return detailView(deps, row, true)
    }),

  read: procedure(readOffering).query(async ({ ctx, input }) => {
    const row = await ctx.deps.stores.offerings.find(input.id)
    if (row === undefined) throw errors.offeringNotFound()
    return detailView(ctx.deps, row, await maySeeSubject(ctx.deps, row, ctx))
  }),

  qrCode: procedure(offeringQrCode).query(async ({ ctx, input }) => {
    const { config, stores } = ctx.deps
    return qrCodeAnswer(ctx, config.issuerBaseUrl, {
      code: await stores.offerings.find(input.id),
      textOf: (row) => offeringFullUrl(config, row),
      pageOf: (row) => pageOfOffering(ctx, row),
      notFound: errors.offeringNotFound,
    })
  }),

  claim: procedure(claimOffering)
    .use(changingLists)
    .mutation(async ({ ctx: { deps, caller }, input }) => {
      const { id, vc } = await claim(deps, caller, input.id)
      return { id, vc }
    }),
})
