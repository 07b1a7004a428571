import type { Config } from '../../config/config.js'
import { receivePageUrl } from '../../pages/addresses.js'
import { onDemandPageId } from '../../pages/on-demand.js'
import type { NewPage } from '../../pages/store.js'
import { type NewPagePorts, newPageOf } from '../credential-offers/page.js'
import type { OfferingRow } from './store.js'

/** The owner of a page on demand: nobody, because a `sub` is never empty. */
const NOBODY = ''

/** Dependencies of {@link createPageOfOffering}. */
export interface PageOfOfferingPorts extends NewPagePorts {
  readonly config: NewPagePorts['config'] & Pick<Config, 'issuerBaseUrl'>
  readonly sealingKey: (label: string) => Uint8Array
  /** Stores a page unless its id exists. */
  readonly keepPage: (page: NewPage) => Promise<unknown>
}

/** @param looks whether the request is read-only, such as HEAD; then nothing is written. @returns the page's URL */
export type PageOfOffering = (offering: Pick<OfferingRow, 'id' | 'expiresAt'>, looks: boolean) => Promise<string>

/**
 * Makes the share page of an offering when it is first requested. An offering has one such page, and the page has no
 * owner.
 */
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
