import type { CheckedSession } from '../../queries/shapes.js'
import { type Leaf, leavesOf } from '../../ui/claims.js'

/** An entry of `transaction_data` of an open request (OpenID4VP 1.0 §5.1). */
export type Transaction = NonNullable<CheckedSession['transactionData']>[number]

/** The kinds of transactions of EUDI TS12, by the name in their type. */
const KINDS = ['payment', 'login_risk_transaction', 'account_access', 'emandate'] as const
const TYPE = /^urn:eudi:sca:([a-z_]+):\d{1,4}$/

/** A transaction as the console shows it. */
export interface ShownTransaction {
  /** `other` for a type that the console does not know. */
  readonly kind: (typeof KINDS)[number] | 'other'
  /** The payment of the transaction, with its amount in the user's language. */
  readonly payment?: { readonly amount: string; readonly payee: string }
  /** All other members. */
  readonly members: readonly Leaf[]
}

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const AMOUNT = /^-?\d{1,15}(?:\.\d{1,10})?$/

/** An amount with its currency (ISO 4217). It is never rounded. */
function moneyOf({ amount, currency }: Members, language: string): string | undefined {
  const text = typeof amount === 'number' ? String(amount) : amount
  if (typeof text !== 'string' || !AMOUNT.test(text)) return undefined
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) return undefined
  const money = new Intl.NumberFormat(language, { style: 'currency', currency, maximumFractionDigits: 10 })
  return money.format(text as `${number}`)
}

/** The members of a payment without the members that its sentence names. */
function beside({ amount: _amount, currency: _currency, payee, ...others }: Members): Members {
  if (!isMembers(payee)) return others
  const { name: _name, ...about } = payee
  return Object.keys(about).length === 0 ? others : { payee: about, ...others }
}

/** The members of a transaction, and the members of the objects that only group others, each without the groups inside it. */
function groupsOf(members: Members): readonly Members[] {
  const groups = ['payload', 'payment_payload'].filter((name) => isMembers(members[name]))
  const outer = Object.fromEntries(Object.entries(members).filter(([name]) => !groups.includes(name)))
  return [outer, ...groups.flatMap((name) => groupsOf(members[name] as Members))]
}

function paymentIn(members: Members, language: string): ShownTransaction['payment'] {
  const amount = moneyOf(members, language)
  const payee = isMembers(members.payee) ? members.payee.name : members.payee
  return amount === undefined || typeof payee !== 'string' || payee === '' ? undefined : { amount, payee }
}

/** A transaction in words: its kind, its payment, and its other members. */
export function shownTransaction(transaction: Transaction, language: string): ShownTransaction {
  const { type, credential_ids: _ids, transaction_data_hashes_alg: _hashes, ...told } = transaction
  const named = TYPE.exec(type)?.[1]
  const groups = groupsOf(told)
  const payments = groups.map((group) => paymentIn(group, language))
  const at = payments.findIndex((payment) => payment !== undefined)
  const payment = payments[at]
  return {
    kind: KINDS.find((each) => each === named) ?? 'other',
    ...(payment === undefined ? {} : { payment }),
    members: groups.flatMap((group, place) => leavesOf(place === at ? beside(group) : group)),
  }
}
