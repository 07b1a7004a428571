/** The order of day and month in the dates of a file; `ask` refuses a date that both orders allow. */
export type DateOrder = 'ask' | 'dmy' | 'mdy'

/** How the numbers and dates of a file are written. ISO 8601 dates (2026-12-31) and plain numbers are always read. */
export interface Reading {
  readonly decimal: '.' | ','
  readonly dates: DateOrder
}

/** The usual decimal sign of a locale. */
const decimalOf = (locale: string): Reading['decimal'] =>
  new Intl.NumberFormat(locale).formatToParts(1.5).some(({ type, value }) => type === 'decimal' && value === ',')
    ? ','
    : '.'

/** How readers of a locale write numbers and dates. @param locale the browser's language with its region, such as de-AT */
export const readingOf = (locale: string): Reading => ({ decimal: decimalOf(locale), dates: 'ask' })

/** The separator of columns that a spreadsheet program expects: a comma, unless numbers have decimal commas. */
export const separatorOf = (locale: string): ',' | ';' => (decimalOf(locale) === ',' ? ';' : ',')

const PLAIN = /^[+-]?\d+(?:e[+-]?\d+)?$/i
const NUMBERS = {
  '.': /^[+-]?(?:\d+|\d{1,3}([,\s'’])\d{3}(?:\1\d{3})*)(?:\.\d+)?(?:e[+-]?\d+)?$/i,
  ',': /^[+-]?(?:\d+|\d{1,3}([.\s'’])\d{3}(?:\1\d{3})*)(?:,\d+)?(?:e[+-]?\d+)?$/i,
} as const

/** A number as JavaScript reads it; undefined if the text is no number in this writing. "1,5" is never read as 15. */
export function numberIn(text: string, decimal: Reading['decimal']): string | undefined {
  if (PLAIN.test(text)) return text
  const separator = NUMBERS[decimal].exec(text)
  if (separator === null) return undefined
  return text.replaceAll(separator[1] ?? '\0', '').replace(',', '.')
}

export type DateFault = 'date' | 'dateAmbiguous'
type Day = { readonly day: string } | { readonly fault: DateFault }

const ISO_DAY = /^\d{4}-\d\d-\d\d$/
const WRITTEN_DAY = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/

/** A day that the calendar has, in ISO 8601. */
function dayIn(year: string, month: string, date: string): string | undefined {
  const day = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`
  const time = Date.parse(`${day}T00:00:00Z`)
  // Dates such as 2026-02-31 would become a day of March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) ? day : undefined
}

/**
 * The day of a text in ISO 8601. With `ask`, a day with dots begins with the date, as in 31.12.2026. A day with slashes or hyphens
 * that may be in either order is ambiguous, so nobody gets a wrong birthday.
 */
export function dateIn(text: string, dates: DateOrder): Day {
  if (ISO_DAY.test(text)) {
    const [year = '', month = '', date = ''] = text.split('-')
    const day = dayIn(year, month, date)
    return day === undefined ? { fault: 'date' } : { day }
  }
  const [, first, sign, second, year] = WRITTEN_DAY.exec(text) ?? []
  if (first === undefined || second === undefined || year === undefined) return { fault: 'date' }
  const byOrder = { dmy: dayIn(year, second, first), mdy: dayIn(year, first, second) }
  const order = dates === 'ask' ? (sign === '.' ? 'dmy' : undefined) : dates
  const days = new Set((order === undefined ? [byOrder.dmy, byOrder.mdy] : [byOrder[order]]).filter(isDay))
  const [day] = days
  if (day === undefined) return { fault: 'date' }
  return days.size > 1 ? { fault: 'dateAmbiguous' } : { day }
}

const isDay = (day: string | undefined): day is string => day !== undefined

const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?$/
const WRITTEN_TIME = /^([\d./-]+)[T, ]+(\d{1,2}:\d\d(?::\d\d)?)$/

type Moment = { readonly at: string } | { readonly fault: DateFault | 'dateTime' }

/** The moment of a text in ISO 8601. A text without a zone is in the zone of the browser. */
export function momentIn(text: string, dates: DateOrder): Moment {
  if (ISO_TIME.test(text)) return atOf(text.replace(' ', 'T'))
  const [, written, time] = WRITTEN_TIME.exec(text) ?? []
  if (written === undefined || time === undefined) return { fault: 'dateTime' }
  const read = dateIn(written, dates)
  return 'fault' in read
    ? read
    : atOf(`${read.day}T${time.padStart(time.length === 4 || time.length === 7 ? time.length + 1 : 0, '0')}`)
}

function atOf(text: string): Moment {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? { fault: 'dateTime' } : { at: at.toISOString() }
}

const TIME = /^([01]?\d|2[0-3])(:[0-5]\d)(:[0-5]\d)?Z?$/

/** A time of day with two digits for the hour; undefined if the text is no time. */
export function timeIn(text: string): string | undefined {
  const [, hour, minute, second] = TIME.exec(text) ?? []
  return hour === undefined || minute === undefined ? undefined : `${hour.padStart(2, '0')}${minute}${second ?? ''}`
}
