import { type Html, html } from '../../pages/html.js'
import type { Speech } from '../../pages/speech.js'
import type { TextKey } from '../../pages/texts/catalogue.js'
import { inWords, shortened } from '../../pages/words.js'
import type { TransactionData } from '../../protocol/openid4vp/transaction-data.js'
import { type Said, saidMember } from './transaction-members.js'

/** The kinds of transactions of EUDI TS12 (strong customer authentication), by the name in their type. */
const KINDS = {
  payment: 'pay.payment',
  login_risk_transaction: 'pay.login',
  account_access: 'pay.account',
  emandate: 'pay.mandate',
} as const satisfies Readonly<Record<string, TextKey>>

const TYPE = /^urn:eudi:sca:(payment|login_risk_transaction|account_access|emandate):\d{1,4}$/

const kindOf = (type: string): (typeof KINDS)[keyof typeof KINDS] | undefined => {
  const name = TYPE.exec(type)?.[1]
  return name === undefined ? undefined : KINDS[name as keyof typeof KINDS]
}

/** Members that the protocol needs. People do not decide about them. */
const OF_PROTOCOL = new Set(['type', 'credential_ids', 'transaction_data_hashes_alg'])

/** Members that only group the members of a transaction: their own name says nothing to people. */
const WRAPPERS = new Set(['payload', 'payment_payload'])

const MOST_ROWS = 80
const MOST_DEPTH = 6
const MOST_NAME = 80
const MOST_VALUE = 200
const MOST_TYPE = 120

interface Row {
  readonly name: string
  readonly value: string
}

/** The rows that a page may still show. */
interface Budget {
  rows: number
  isShort: boolean
}

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null

const numeric = (value: unknown): number | `${number}` | undefined => {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  return typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,10})?$/.test(value) ? (value as `${number}`) : undefined
}

/** A currency code (ISO 4217). */
const isCurrency = (value: unknown): value is string => typeof value === 'string' && /^[A-Z]{3}$/.test(value)

const NAMES_OF_AMOUNTS = ['amount', 'value', 'min_amount', 'max_amount', 'total_amount', 'initial_amount'] as const

/** Replaces the amounts of an object by texts with its currency, and leaves out the currency. */
function withMoney(
  members: Members,
  speech: Speech,
  outer: string | undefined,
): { members: Members; currency?: string } {
  const { currency: own, ...others } = members
  const currency = isCurrency(own) ? own : outer
  if (currency === undefined) return { members }
  const written = NAMES_OF_AMOUNTS.flatMap((name) => {
    const amount = name in others ? numeric(others[name]) : undefined
    return amount === undefined ? [] : [[name, speech.money(amount, currency)] as const]
  })
  if (written.length === 0) return { members, currency }
  return { members: { ...(isCurrency(own) ? others : members), ...Object.fromEntries(written) }, currency }
}

/** All rows of a transaction, in the order of its members. */
function rowsOf(entry: Members, isKnown: boolean, speech: Speech, budget: Budget): Row[] {
  const take = (row: Row): Row[] => {
    if (budget.rows === 0) {
      budget.isShort = true
      return []
    }
    budget.rows -= 1
    if ([...row.value].length > MOST_VALUE) budget.isShort = true
    return [{ name: shortened(row.name, MOST_NAME), value: shortened(row.value, MOST_VALUE) }]
  }

  const walk = (value: unknown, path: readonly string[], currency: string | undefined): Row[] => {
    const said: Said | undefined = isKnown ? saidMember(path, value, speech) : undefined
    if (said === 'nothing') return []
    if (said !== undefined) return take(said)
    if (!isMembers(value)) return take({ name: nameOf(path), value: plainValue(value, speech) })
    if (path.length >= MOST_DEPTH) {
      budget.isShort = true
      return []
    }
    const money = Array.isArray(value) ? { members: value as Members, currency } : withMoney(value, speech, currency)
    return Object.entries(money.members).flatMap(([name, member]) => {
      if (budget.isShort && budget.rows === 0) return []
      if (path.length === 0 && OF_PROTOCOL.has(name)) return []
      if (WRAPPERS.has(name) && isMembers(member) && !Array.isArray(member)) return walk(member, path, money.currency)
      const shown = Array.isArray(value) ? String(Number(name) + 1) : name
      return walk(member, [...path, shown], money.currency)
    })
  }

  return walk(entry, [], undefined)
}

const nameOf = (path: readonly string[]): string => path.map(inWords).join(' › ')

function plainValue(value: unknown, speech: Speech): string {
  if (typeof value === 'boolean') return speech.say(value ? 'value.yes' : 'value.no')
  return value === null || value === '' ? speech.say('value.none') : String(value)
}

/** The payment in a transaction, or in the mandate of a transaction; undefined without an amount, a currency and a payee. */
function paymentIn(entry: Members, speech: Speech): string | undefined {
  const payload = isMembers(entry.payload) ? entry.payload : entry
  const { amount, currency, payee } = isMembers(payload.payment_payload) ? payload.payment_payload : payload
  const name = isMembers(payee) ? payee.name : payee
  const number = numeric(amount)
  if (number === undefined || !isCurrency(currency) || typeof name !== 'string' || name === '') return undefined
  return speech.say('pay.to', { amount: speech.money(number, currency), payee: shortened(name, MOST_VALUE) })
}

function transaction(entry: TransactionData, speech: Speech, budget: Budget): Html {
  const kind = kindOf(entry.type)
  const sum = kind === undefined ? undefined : paymentIn(entry, speech)
  const rows = rowsOf(entry, kind !== undefined, speech, budget)
  return html`<section class="transaction"><h3>${speech.say(kind ?? 'pay.other')}</h3>${
    kind === undefined && html`<p class="hint">${shortened(entry.type, MOST_TYPE)}</p>`
  }${sum !== undefined && html`<p class="sum">${sum}</p>`}${
    rows.length > 0 &&
    html`<dl>${rows.map(({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
  }</section>`
}

/**
 * Says in words which transactions the holder authorizes with the answer (OpenID4VP 1.0 §8.4). Transactions of a known type have
 * names and values in the reader's language. All other members are shown with their own names, so that nothing is hidden. If the
 * page cannot show everything, a sentence at the end says so.
 *
 * @returns undefined for a request without transactions
 */
export function transactionsOf(entries: readonly TransactionData[], speech: Speech): Html | undefined {
  if (entries.length === 0) return undefined
  const budget: Budget = { rows: MOST_ROWS, isShort: false }
  const shown = entries.map((entry) => transaction(entry, speech, budget))
  return html`<h2>${speech.say('pay.heading')}</h2>${shown}${budget.isShort && html`<p class="hint">${speech.say('pay.more')}</p>`}`
}
