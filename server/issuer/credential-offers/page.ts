import { secondsAfter } from '../../api/moment.js'
import type { Config } from '../../config/config.js'
import { DAY_SECONDS } from '../../maintenance/task.js'
import type { NewPage, PageTexts } from '../../pages/store.js'

/** An offer or offering with a share page. */
interface OfferOfPage {
  readonly id: string
  /** When the offer expires; null for an offer without an end. */
  readonly expiresAt: Date | null
  readonly deferred: boolean
}

/** Dependencies of {@link newPageOf}. */
export interface NewPagePorts {
  readonly config: Pick<Config, 'refreshTokenDays' | 'sessionRetentionDays'>
  readonly clock: () => Date
  readonly newId: () => string
}

/**
 * Returns when the page expires; null for an offer without an end. The page exists while a wallet may wait or the
 * session is stored.
 */
function endOf(config: NewPagePorts['config'], { expiresAt, deferred }: OfferOfPage): Date | null {
  if (expiresAt === null) return null
  const days = config.sessionRetentionDays + (deferred ? config.refreshTokenDays : 0)
  return secondsAfter(expiresAt, days * DAY_SECONDS)
}

/**
 * Makes a share page for an offer or an offering.
 *
 * @param madeBy the `sub` of the page's owner
 */
export function newPageOf(
  { config, clock, newId }: NewPagePorts,
  offer: OfferOfPage,
  madeBy: string,
  { inQrCode = false, ...texts }: PageTexts & { readonly inQrCode?: boolean } = {},
): NewPage {
  return {
    ...texts,
    id: newId(),
    offeringId: offer.id,
    madeBy,
    typeNames: [],
    inQrCode,
    createdAt: clock(),
    expiresAt: endOf(config, offer),
  }
}
