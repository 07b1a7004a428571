import { credentials } from './es/credentials.js'
import { events } from './es/events.js'
import { offers } from './es/offers.js'
import { requests } from './es/requests.js'
import { settings } from './es/settings.js'
import { shell } from './es/shell.js'
import { trust } from './es/trust.js'
import { types } from './es/types.js'
import type { Texts } from './texts.js'

/** Every text of the console in Spanish. */
export const es: Texts = {
  ...shell,
  ...types,
  ...offers,
  ...requests,
  ...credentials,
  ...settings,
  ...events,
  ...trust,
}
