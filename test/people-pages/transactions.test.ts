import { describe, expect, it } from 'vitest'
import { speechFor } from '../../server/pages/speech.js'
import { transactionsOf } from '../../server/people-pages/present/transactions.js'
import type { TransactionData } from '../../server/protocol/openid4vp/transaction-data.js'

const IDS = { credential_ids: ['card'] }

/** The words of the page for transactions, without markup. */
function wordsFor(entries: readonly TransactionData[], lang = 'en'): string {
  const shown = transactionsOf(entries, speechFor({ headers: { 'accept-language': lang } }, 'https://verifier.example'))
  return (shown?.text ?? '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ')
    .trim()
}

const PAYMENT = {
  type: 'urn:eudi:sca:payment:1',
  ...IDS,
  transaction_data_hashes_alg: ['sha-256' as const],
  payload: {
    transaction_id: '8D8AC610-566D-4EF0-9C22-186B2A5ED793',
    date_time: '2026-11-27T10:00:00Z',
    payee: { name: 'Super Gaming Shop', id: 'DE89370400440532013000', website: 'https://shop.example' },
    currency: 'EUR',
    amount: 1249.5,
    execution_date: '2026-11-30',
    remittance_information: 'Order 4711',
    sct_inst: true,
    pisp: { legal_name: 'PayFast AG', brand_name: 'PayFast', domain_name: 'payfast.example' },
    recurrence: { start_date: '2026-12-01', frequency: 'MNTH' },
  },
}

describe('a payment (EUDI TS12, urn:eudi:sca:payment:1)', () => {
  it('is said in words, with the amount as the reader writes it', () => {
    expect(wordsFor([PAYMENT])).toBe(
      [
        'With your answer you approve Payment €1,249.50 to Super Gaming Shop',
        'Reference 8D8AC610-566D-4EF0-9C22-186B2A5ED793 Date and time 27 November 2026 at 10:00 UTC',
        'Payee Super Gaming Shop Payee’s account DE89370400440532013000 Website https://shop.example',
        'Amount €1,249.50 Execution date 30 November 2026 Payment reference Order 4711 Instant payment Yes',
        'Service provider PayFast AG · PayFast · payfast.example Begins 1 December 2026 Interval 1 month',
      ].join(' '),
    )
  })

  it.each([
    ['de', '1.249,50 € an Super Gaming Shop', 'Verwendungszweck Order 4711', 'Abstand 1 Monat'],
    ['fr', '1 249,50 € à Super Gaming Shop', 'Motif du paiement Order 4711', 'Intervalle 1 mois'],
    ['pl', '1249,50 zł', 'Tytuł płatności Order 4711', 'Odstęp 1 miesiąc'],
  ])('is said in %s', (lang, sum, remittance, interval) => {
    const currency = lang === 'pl' ? 'PLN' : 'EUR'
    const words = wordsFor([{ ...PAYMENT, payload: { ...PAYMENT.payload, currency } }], lang).replaceAll(
      /[\u00A0\u202F]/g,
      ' ',
    )
    for (const part of [sum, remittance, interval]) expect(words).toContain(part)
  })

  it('never rounds the amount', () => {
    const words = (amount: unknown) => wordsFor([{ ...PAYMENT, payload: { ...PAYMENT.payload, amount } }])
    expect(words(0.105)).toContain('€0.105 to')
    expect(words('99999999999999.01')).toContain('€99,999,999,999,999.01 to')
    expect(wordsFor([{ ...PAYMENT, payload: { ...PAYMENT.payload, currency: 'JPY', amount: 1500 } }])).toContain(
      '¥1,500 to',
    )
  })

  it('with an estimated amount says that it is an estimate', () => {
    const payload = { ...PAYMENT.payload, amount_estimated: true }
    expect(wordsFor([{ ...PAYMENT, payload }])).toContain('Amount The amount is an estimate.')
  })

  it('shows a member that it does not know too, so that nothing is hidden', () => {
    const payload = { ...PAYMENT.payload, surcharge: { reason: 'Night', amount: 3 } }
    const words = wordsFor([{ ...PAYMENT, payload }])
    expect(words).toContain('surcharge › reason Night')
    expect(words).toContain('surcharge › amount €3.00')
  })

  it.each([
    ['no currency', { currency: undefined }, 'Amount 1249.5'],
    ['a currency that is none', { currency: 'euros' }, 'currency euros'],
    ['an amount that is no number', { amount: 'much' }, 'Amount much'],
    ['no payee', { payee: undefined }, 'Amount €1,249.50'],
  ])('with %s is no sentence, and still shows what it says', (_, members, shown) => {
    const words = wordsFor([{ ...PAYMENT, payload: { ...PAYMENT.payload, ...members } }])
    expect(words).not.toContain(' to Super')
    expect(words).toContain(shown)
  })
})

describe('other transactions', () => {
  it.each([
    [
      { type: 'urn:eudi:sca:login_risk_transaction:1', payload: { service: 'My bank', action: 'Log in' } },
      'Sign-in or another action Service My bank Action Log in',
    ],
    [
      { type: 'urn:eudi:sca:account_access:1', payload: { aisp: { legal_name: 'Budget AG' }, description: 'Balance' } },
      'Access to your account Service provider Budget AG Description Balance',
    ],
    [
      {
        type: 'urn:eudi:sca:emandate:1',
        payload: {
          creditor_id: 'DE98ZZZ09999999999',
          purpose: 'Gym',
          payment_payload: { payee: { name: 'Gym', id: 'G1' }, currency: 'EUR', amount: 20 },
        },
      },
      'Direct debit mandate €20.00 to Gym Creditor DE98ZZZ09999999999 Purpose Gym Payee Gym Payee’s account G1 Amount €20.00',
    ],
  ])('%o has its name', (entry, words) => {
    expect(wordsFor([{ ...IDS, ...entry }])).toContain(words)
  })

  it('of an unknown type are a table of names and values, also nested', () => {
    const entry = {
      type: 'com.example.qes',
      ...IDS,
      document: { label: 'Contract', hashes: ['a', 'b'] },
      urgent: false,
      note: null,
    }
    expect(wordsFor([entry])).toBe(
      'With your answer you approve Transaction com.example.qes document › label Contract document › hashes › 1 a document › hashes › 2 b urgent No note none',
    )
  })

  it('of a type that only looks like a known type are no payment in words', () => {
    expect(wordsFor([{ ...PAYMENT, type: 'urn:evil:sca:payment:1' }])).toContain('Transaction urn:evil:sca:payment:1')
    expect(wordsFor([{ ...PAYMENT, type: 'x urn:eudi:sca:payment:1' }])).not.toContain('€1,249.50 to')
  })

  it('are nothing without an entry', () => {
    expect(transactionsOf([], speechFor({ headers: {} }, 'https://verifier.example'))).toBeUndefined()
  })
})

describe('attacks: a transaction cannot fill or fake the page', () => {
  it('markup and direction controls in names and values are text', () => {
    const entry = { type: 'x', ...IDS, '<b>name</b>': '<script>alert(1)</script>\u202E' }
    const speech = speechFor({ headers: {} }, 'https://verifier.example')
    const { text = '' } = transactionsOf([entry], speech) ?? {}
    expect(text).not.toMatch(/<script|<b>|\u202E/)
    expect(text).toContain('&lt;script&gt;')
  })

  it.each([
    ['many members', Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`member${n}`, n]))],
    ['a long value', { text: 'x'.repeat(5_000) }],
    ['deep members', { a: { b: { c: { d: { e: { f: { g: { h: 1 } } } } } } } }],
  ])('%s are cut, and the page says so', (_, members) => {
    const words = wordsFor([{ type: 'x', ...IDS, ...members }])
    expect(words).toContain('This page does not show everything. Check the rest in your wallet.')
    expect(words.length).toBeLessThan(4_000)
  })

  it('16 full entries stay below 60 KiB', () => {
    const members = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`member${n}`, 'ä'.repeat(150)]))
    const speech = speechFor({ headers: {} }, 'https://verifier.example')
    const shown = transactionsOf(
      Array.from({ length: 16 }, (_, n) => ({ type: `t${n}`, ...IDS, ...members })),
      speech,
    )
    expect(Buffer.byteLength(shown?.text ?? '')).toBeLessThan(50 * 1024)
  })
})
