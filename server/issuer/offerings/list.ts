import type { ListContext } from '../../api/context.js'
import { awaited, type Page, paged } from '../../api/paging.js'
import type { NameHashes } from '../../names/names.js'
import type { OfferingView } from './offering-json.js'
import type { Reader } from './reader.js'
import {
  type OfferingRow,
  type OfferingStore,
  type RedemptionRow,
  type RedemptionScope,
  SURE_OFFERINGS,
} from './store.js'

/** The statements for a list of offerings. */
export type OfferingListStore = Pick<OfferingStore, 'list' | 'redemptions' | 'roomFor'>

const idsOf = (rows: readonly OfferingRow[]) => rows.map(({ id }) => id)

/** The redemptions that a reader sees with an offering; undefined for none. */
const scopeOf = (reader: Reader): RedemptionScope | undefined =>
  reader.reach.isAll ? 'all' : reader.caller && { redeemedBy: reader.caller.sub }

function groupedByOffering(redemptions: readonly RedemptionRow[]): Map<string, RedemptionRow[]> {
  const groups = new Map<string, RedemptionRow[]>()
  for (const redemption of redemptions) {
    const group = groups.get(redemption.offeringId)
    if (group === undefined) groups.set(redemption.offeringId, [redemption])
    else group.push(redemption)
  }
  return groups
}

/**
 * One page of the offerings that the reader may see, the newest first. Each offering has the redemptions that the
 * reader may see.
 *
 * @param names only offerings with these names. A reader who may not see names gets no offerings then.
 */
export async function offeringsFor(
  view: OfferingView,
  ctx: ListContext<OfferingListStore> & Reader,
  page: Page,
  names: NameHashes,
) {
  const scope = scopeOf(ctx)
  const seesNames = ctx.reach.isAll
  // Otherwise a reader could find out which references exist.
  if (!seesNames && (names.referenceHash !== undefined || names.labelHash !== undefined)) return []
  const rows = await paged(
    ctx,
    page,
    (store, part) => store.list(scope !== 'all', part, names),
    (row) => row,
    scope &&
      (async (all) =>
        all.length <= SURE_OFFERINGS ? all.length : ctx.lists((store) => store.roomFor(idsOf(all), scope))),
  )
  if (scope === undefined) return rows.map((row) => view.listed(row, { subject: true, names: seesNames }))
  const redemptions = await awaited(ctx, (store) => store.redemptions(idsOf(rows), scope))
  const byOffering = groupedByOffering(redemptions)
  const configurations = view.configurations(redemptions)
  return rows.map((row) => {
    const offering = view.listed(row, { subject: true, names: seesNames })
    const own = byOffering.get(row.id) ?? []
    return {
      ...offering,
      redemptions: own.map((redemption) => {
        const configuration = configurations.get(redemption.schemaId)
        if (configuration === undefined) throw new TypeError('The schema of a redeemed credential was not read.')
        return view.redemption(redemption, offering, configuration)
      }),
    }
  })
}
