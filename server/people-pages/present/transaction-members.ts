import { dateInWords, type Speech } from '../../pages/speech.js'
import type { TextKey } from '../../pages/texts/catalogue.js'

/** The name and the value of a member in the reader's language; `nothing` for a member that needs no row. */
export type Said = { readonly name: string; readonly value: string } | 'nothing'

/** Texts without placeholders: the names of members. */
type NameKey = Extract<TextKey, `pay.${string}`> & Exclude<TextKey, 'pay.to'>

/** Texts of members, by their path in a transaction of EUDI TS12. */
const NAMES: ReadonlyMap<string, NameKey | 'present.purpose' | 'wallets.web'> = new Map([
  ['transaction_id', 'pay.reference'],
  ['reference_number', 'pay.reference'],
  ['date_time', 'pay.time'],
  ['amount', 'pay.amount'],
  ['payee', 'pay.payee'],
  ['payee.name', 'pay.payee'],
  ['payee.id', 'pay.payeeAccount'],
  ['payee.website', 'wallets.web'],
  ['remittance', 'pay.remittance'],
  ['remittance_info', 'pay.remittance'],
  ['remittance_information', 'pay.remittance'],
  ['execution_date', 'pay.date'],
  ['sct_inst', 'pay.instant'],
  ['amount_earmarked', 'pay.reserved'],
  ['pisp', 'pay.provider'],
  ['aisp', 'pay.provider'],
  ['service', 'pay.service'],
  ['action', 'pay.action'],
  ['description', 'pay.description'],
  ['start_date', 'pay.begins'],
  ['end_date', 'pay.ends'],
  ['recurrence.start_date', 'pay.begins'],
  ['recurrence.end_date', 'pay.ends'],
  ['recurrence.frequency', 'pay.every'],
  ['creditor_id', 'pay.creditor'],
  ['purpose', 'present.purpose'],
])

/** Frequencies of ISO 20022. A frequency that is missing here is shown as its code. */
const FREQUENCIES: ReadonlyMap<string, readonly [number, 'day' | 'week' | 'month' | 'year']> = new Map([
  ['DAIL', [1, 'day']],
  ['WEEK', [1, 'week']],
  ['TOWK', [2, 'week']],
  ['FRTN', [2, 'week']],
  ['MNTH', [1, 'month']],
  ['QUTR', [3, 'month']],
  ['QURT', [3, 'month']],
  ['SEMI', [6, 'month']],
  ['MIAN', [6, 'month']],
  ['YEAR', [1, 'year']],
])

/** The names of a provider in one line; undefined if it has other members too. */
function providerOf(value: object): string | undefined {
  const names = new Set(['legal_name', 'brand_name', 'domain_name'])
  const members = Object.entries(value)
  const isPlain = members.every(([name, member]) => names.has(name) && typeof member === 'string')
  return members.length > 0 && isPlain ? members.map(([, member]) => member).join(' · ') : undefined
}

/**
 * A member of a known transaction in the reader's language.
 *
 * @param path the names that lead to the member, without the members that only group others
 * @returns undefined for a member that has no text here: the page shows it with its own name
 */
export function saidMember(path: readonly string[], value: unknown, speech: Speech): Said | undefined {
  const name = path.join('.')
  if (name === 'amount_estimated' && typeof value === 'boolean') {
    return value ? { name: speech.say('pay.amount'), value: speech.say('pay.estimated') } : 'nothing'
  }
  const key = NAMES.get(name)
  if (key === undefined) return undefined
  const said = (text: string): Said => ({ name: speech.say(key), value: text })
  if (typeof value === 'boolean') return said(speech.say(value ? 'value.yes' : 'value.no'))
  if (typeof value === 'number') return said(String(value))
  if (typeof value === 'object' && value !== null) {
    const provider = key === 'pay.provider' ? providerOf(value) : undefined
    return provider === undefined ? undefined : said(provider)
  }
  if (typeof value !== 'string' || value === '') return undefined
  const frequency = key === 'pay.every' ? FREQUENCIES.get(value) : undefined
  if (frequency !== undefined) return said(speech.units(...frequency))
  return said(dateInWords(value, speech))
}
