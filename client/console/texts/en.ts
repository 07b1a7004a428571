import { credentials } from './en/credentials.js'
import { events } from './en/events.js'
import { offers } from './en/offers.js'
import { requests } from './en/requests.js'
import { settings } from './en/settings.js'
import { shell } from './en/shell.js'
import { trust } from './en/trust.js'
import { types } from './en/types.js'

/** Every text of the console in English. Other languages must have the shape of this object. */
export const en = { ...shell, ...types, ...offers, ...requests, ...credentials, ...settings, ...events, ...trust }
