import type { Config } from '../../config/config.js'
import { receivePageUrl } from '../../pages/addresses.js'
import { onDemandPageId } from '../../pages/on-demand.js'
import type { NewPage } from '../../pages/store.js'
import { type NewPagePorts, newPageOf } from '../credential-offers/page.js'
import type { OfferingRow } from './store.js'

/** A `sub` is never empty: the page on demand is nobody's. */
const NOBODY = ''

/** Dependencies of {@link createPageOfOffering}. */
export interface PageOfOfferingPorts extends NewPagePorts {
  readonly config: NewPagePorts['config'] & Pick<Config, 'issuerBaseUrl'>
  readonly sealingKey: (label: string) => Uint8Array
  /** Puts a page on record where there is none of its id. */
  readonly keepPage: (page: NewPage) => Promise<unknown>
}

/** @param looks whether the request only looks: then nothing is written. @returns the page's address */
export type PageOfOffering = (offering: Pick<OfferingRow, 'id' | 'expiresAt'>, looks: boolean) => Promise<string>

/** The page of an offering that is made on demand, where nobody was sent to one of their own. */
export function createPageOfOffering({
  config,
  sealingKey,
  keepPage,
  clock,
  newId,
}: PageOfOfferingPorts): PageOfOffering {
  return async ({ id, expiresAt }, looks) => {
    const pageId = onDemandPageId({ sealingKey }, 'receive', id)
    if (!looks) {
      const page = newPageOf({ config, clock, newId }, { id, expiresAt, deferred: false }, NOBODY)
      await keepPage({ ...page, id: pageId })
    }
    return receivePageUrl(config, pageId)
  }
}
