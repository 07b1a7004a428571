import type { Made, SheetRow } from '../screens/offers/many/csv.js'
import { credence } from '../service.js'
import type { NewOffer } from './offers.js'

/** An offer that is to be made of a row. */
export interface RowOffer {
  readonly row: SheetRow
  /** Names the row's offer, so that it is made once however often the call is repeated. */
  readonly key: string
  readonly offer: NewOffer
}

/** A row that the service refuses, with its messages. */
export interface RowRefused {
  readonly row: SheetRow
  readonly messages: readonly string[]
}

const rowsOf = (offers: readonly RowOffer[]) => offers.map(({ key, offer }) => ({ ...offer, key }))

/** Asks what is wrong with some rows. Nothing is made. */
export async function checkOffers(offers: readonly RowOffer[]): Promise<RowRefused[]> {
  const { errors } = await credence.credentialOffers.createMany.mutate({ rows: rowsOf(offers), dryRun: true })
  const byKey = new Map(offers.map(({ key, row }) => [key, row]))
  return errors.flatMap(({ key, messages }) => {
    const row = byKey.get(key)
    return row === undefined ? [] : [{ row, messages }]
  })
}

/** Makes the offers of some rows: all of them or none. */
export async function makeOffers(offers: readonly RowOffer[]): Promise<Made[]> {
  const made = await credence.credentialOffers.createMany.mutate({ rows: rowsOf(offers) })
  const byKey = new Map(offers.map(({ key, row }) => [key, row]))
  return made.offers.flatMap(({ key, credentialOfferUri, pageUrl, txCode }) => {
    const row = byKey.get(key)
    return row === undefined ? [] : [{ row, link: credentialOfferUri, page: pageUrl ?? '', pin: txCode ?? '' }]
  })
}
