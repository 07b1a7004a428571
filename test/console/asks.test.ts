import { describe, expect, it } from 'vitest'
import type { Askable } from '../../client/console/screens/requests/askable.js'
import { type Ask, titleOfAsks } from '../../client/console/screens/requests/asks.js'
import { shownTransaction } from '../../client/console/screens/requests/transaction-words.js'
import { de } from '../../client/console/texts/de.js'

const named = (name: string) => [{ name, locale: 'de' }]

const PID: Askable = {
  id: 'Pid-sd-jwt',
  format: 'dc+sd-jwt',
  type: 'urn:eudi:pid:1',
  display: named('PID'),
  claims: [
    { path: ['given_name'], display: named('Vorname') },
    { path: ['family_name'], display: named('Nachname') },
    { path: ['birthdate'], display: named('Geburtsdatum') },
    { path: ['nationalities'], display: named('Staatsangehörigkeiten') },
  ],
}

const ask = (...claims: string[]): Ask => ({
  credentialQueryId: 'pid',
  format: 'dc+sd-jwt',
  types: ['Pid'],
  claims: claims.map((name) => [name]),
})

const title = (asks: readonly Ask[]) =>
  titleOfAsks(asks, [PID], 'de', { fallback: 'Beliebiger Nachweis', andMore: de.requests.andMore })

describe('the title of a request', () => {
  it('names the claims and the type', () => {
    expect(title([ask('birthdate')])).toBe('Geburtsdatum · PID')
    expect(title([ask('given_name', 'family_name')])).toBe('Vorname, Nachname · PID')
  })

  it('names two claims of many, and counts the others', () => {
    expect(title([ask('given_name', 'family_name', 'birthdate', 'nationalities')])).toBe(
      'Vorname, Nachname und 2 weitere · PID',
    )
  })

  it('names the type alone if no single claim is asked for, and the types if there are several', () => {
    expect(title([ask()])).toBe('PID')
    const other: Ask = { credentialQueryId: 'x', format: 'dc+sd-jwt', types: ['Badge'], claims: [['name']] }
    expect(title([ask('given_name'), other])).toBe('PID · Badge')
    expect(title([])).toBeUndefined()
  })
})

describe('a transaction of an open request', () => {
  const IDS = { credential_ids: ['pid'] }

  it('of EUDI TS12 is a payment in words, and its other members stay', () => {
    const payload = {
      transaction_id: 'T-1',
      amount: 1234.5,
      currency: 'EUR',
      payee: { name: 'Corner Shop', id: 'DE02' },
    }
    expect(shownTransaction({ type: 'urn:eudi:sca:payment:1', ...IDS, payload }, 'de')).toEqual({
      kind: 'payment',
      payment: { amount: '1.234,50\u00a0€', payee: 'Corner Shop' },
      members: [
        { path: ['payee', 'id'], value: 'DE02' },
        { path: ['transaction_id'], value: 'T-1' },
      ],
    })
  })

  it('is never rounded', () => {
    const members = { amount: '0.123456', currency: 'EUR', payee: 'Shop' }
    expect(shownTransaction({ type: 'payment', ...IDS, ...members }, 'en').payment?.amount).toBe('€0.123456')
  })

  it('of another type shows each member, also members of groups with the same name', () => {
    const members = { amount: '12.50 EUR', payee: 'Shop', payload: { payee: 'Other' } }
    expect(shownTransaction({ type: 'payment', ...IDS, ...members }, 'en')).toEqual({
      kind: 'other',
      members: [
        { path: ['amount'], value: '12.50 EUR' },
        { path: ['payee'], value: 'Shop' },
        { path: ['payee'], value: 'Other' },
      ],
    })
  })
})
