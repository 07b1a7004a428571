import { secondsAfter } from '../../api/moment.js'
import type { Config } from '../../config/config.js'
import { DAY_SECONDS } from '../../maintenance/task.js'
import type { NewPage, PageTexts } from '../../pages/store.js'

/** An offer, or an offering, that gets a page. */
interface OfferOfPage {
  readonly id: string
  /** Until when it can be taken; null for as long as it is there. */
  readonly expiresAt: Date | null
  readonly deferred: boolean
}

/** What {@link newPageOf} takes from the service. */
export interface NewPagePorts {
  readonly config: Pick<Config, 'refreshTokenDays' | 'sessionRetentionDays'>
  readonly clock: () => Date
  readonly newId: () => string
}

/** For as long as a wallet may wait for it, and its session is kept; an offering may end at any moment that can be written. */
function endOf(config: NewPagePorts['config'], { expiresAt, deferred }: OfferOfPage): Date | null {
  if (expiresAt === null) return null
  const days = config.sessionRetentionDays + (deferred ? config.refreshTokenDays : 0)
  return secondsAfter(expiresAt, days * DAY_SECONDS)
}

/**
 * A page for an offer or an offering.
 *
 * @param madeBy the `sub` whose page it is
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
