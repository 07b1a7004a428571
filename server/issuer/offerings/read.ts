import { errors } from '../../api/errors.js'
import type { Deps } from '../../deps.js'
import { detailView } from './offering-json.js'
import { type Reader, seesEverything } from './reader.js'
import type { OfferingRow } from './store.js'

/** The subject of a recipient-bound offering is shown only to its recipient and to callers who may read everything. */
async function maySeeSubject({ stores }: Pick<Deps, 'stores'>, row: OfferingRow, reader: Reader): Promise<boolean> {
  if (row.recipient === null || seesEverything(reader)) return true
  if (reader.caller === undefined) return false
  if (reader.caller.tokenDids.includes(row.recipient)) return true
  return (await stores.dids.holderDidsOf(reader.caller.sub)).includes(row.recipient)
}

/** An offering as its reader may see it. @throws 404 where there is none. */
export async function offeringFor(deps: Deps, reader: Reader, id: string) {
  const row = await deps.stores.offerings.find(id)
  if (row === undefined) throw errors.offeringNotFound()
  return detailView(deps, row, await maySeeSubject(deps, row, reader))
}
