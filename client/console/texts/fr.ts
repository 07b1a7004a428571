import { credentials } from './fr/credentials.js'
import { events } from './fr/events.js'
import { offers } from './fr/offers.js'
import { requests } from './fr/requests.js'
import { settings } from './fr/settings.js'
import { shell } from './fr/shell.js'
import { trust } from './fr/trust.js'
import { types } from './fr/types.js'
import type { Texts } from './texts.js'

/** Every text of the console in French. */
export const fr: Texts = {
  ...shell,
  ...types,
  ...offers,
  ...requests,
  ...credentials,
  ...settings,
  ...events,
  ...trust,
}
