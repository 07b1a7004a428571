import { credentials } from './de/credentials.js'
import { events } from './de/events.js'
import { offers } from './de/offers.js'
import { requests } from './de/requests.js'
import { settings } from './de/settings.js'
import { shell } from './de/shell.js'
import { trust } from './de/trust.js'
import { types } from './de/types.js'
import type { Texts } from './texts.js'

/** Every text of the console in German. */
export const de: Texts = {
  ...shell,
  ...types,
  ...offers,
  ...requests,
  ...credentials,
  ...settings,
  ...events,
  ...trust,
}
