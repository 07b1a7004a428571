import type { Made, SheetRow } from '../screens/offers/many/csv.js'
import { credence } from '../service.js'
import type { NewOffer } from './offers.js'

/** The offer that will be created for a row. */
export interface RowOffer {
  readonly row: SheetRow
  /** Idempotency key of the row's offer: repeated calls create the offer once. */
  readonly key: string
  readonly offer: NewOffer
}

/** A row that the service refuses, with the service's messages. */
export interface RowRefused {
  readonly row: SheetRow
  readonly messages: readonly string[]
}

const rowsOf = (offers: readonly RowOffer[]) => offers.map(({ key, offer }) => ({ ...offer, key }))

/** Lets the service check some rows for errors. Creates no offer. */
export async function checkOffers(offers: readonly RowOffer[]): Promise<RowRefused[]> {
  const { errors } = await credence.credentialOffers.createMany.mutate({ rows: rowsOf(offers), dryRun: true })
  const byKey = new Map(offers.map(({ key, row }) => [key, row]))
  return errors.flatMap(({ key, messages }) => {
    const row = byKey.get(key)
    return row === undefined ? [] : [{ row, messages }]
  })
}

/** The batch of a run. Each call of the run names it. */
export interface RunBatch {
  readonly id: string
  readonly name?: string
}

/** Creates the offers of some rows in a batch: all of them or none. */
export async function makeOffers(offers: readonly RowOffer[], batch: RunBatch): Promise<Made[]> {
  const made = await credence.credentialOffers.createMany.mutate({ rows: rowsOf(offers), batch: { ...batch } })
  const byKey = new Map(offers.map(({ key, row }) => [key, row]))
  return made.offers.flatMap(({ key, credentialOfferUri, pageUrl, txCode }) => {
    const row = byKey.get(key)
    return row === undefined ? [] : [{ row, link: credentialOfferUri, page: pageUrl ?? '', pin: txCode ?? '' }]
  })
}
