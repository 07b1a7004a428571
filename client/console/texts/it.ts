import { credentials } from './it/credentials.js'
import { events } from './it/events.js'
import { offers } from './it/offers.js'
import { requests } from './it/requests.js'
import { settings } from './it/settings.js'
import { shell } from './it/shell.js'
import { trust } from './it/trust.js'
import { types } from './it/types.js'
import type { Texts } from './texts.js'

/** Every text of the console in Italian. */
export const it: Texts = {
  ...shell,
  ...types,
  ...offers,
  ...requests,
  ...credentials,
  ...settings,
  ...events,
  ...trust,
}
