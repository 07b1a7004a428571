import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { serviceContact, walletLinks } from '../../server/config/wallet-links.js'

const folder = mkdtempSync(join(tmpdir(), 'credence-'))
afterAll(() => rmSync(folder, { recursive: true }))

const WALLET = { name: 'Wallet', ios: 'https://apps.apple.com/app/id1' }

const refusal = (value: unknown) =>
  walletLinks.safeParse(typeof value === 'string' ? value : JSON.stringify(value)).error?.issues[0]?.message

const BEGINNING = 'must be a JSON array of wallets, or name a file with it: '

describe('WALLET_LINKS', () => {
  it('is JSON, or the name of a file with JSON', () => {
    const file = join(folder, 'wallets.json')
    writeFileSync(file, JSON.stringify([WALLET]))
    expect(walletLinks.parse(JSON.stringify([WALLET]))).toEqual([WALLET])
    expect(walletLinks.parse(file)).toEqual([WALLET])
    expect(walletLinks.parse(undefined)).toEqual([])
  })

  it.each([
    ['/nowhere/wallets.json', 'it cannot be read.'],
    ['[', 'it is no JSON.'],
    [[WALLET, { name: 'Second' }], 'entry 2 (Second): must have one of ios, android, web.'],
    [[{ ...WALLET, ios: 'http://apps.apple.com' }], 'entry 1 (Wallet): ios must be an https URL.'],
    [[{ ...WALLET, android: 'javascript:alert(1)' }], 'entry 1 (Wallet): android must be an https URL.'],
    [[{ ...WALLET, web: 'https://user@wallet.example' }], 'entry 1 (Wallet): web must be an https URL.'],
    [[{ ...WALLET, name: ' ' }], 'entry 1 ( ): name must not be empty.'],
    [Array.from({ length: 13 }, () => WALLET), 'it must not list more than 12 wallets.'],
  ])('%j stops the start, and the sentence names the entry', (value, reason) => {
    expect(refusal(value)).toBe(`${BEGINNING}${reason}`)
  })

  it.each([
    'https://elsewhere.example/logo.png',
    '//elsewhere.example/logo.png',
    '/\\elsewhere.example/logo.png',
    'data:text/html;base64,AAAA',
    'data:image/svg+xml,<svg onload="alert(1)"/>',
  ])('a logo must be of the page’s own origin or a data URI of a picture: %s', (logo) => {
    expect(refusal([{ ...WALLET, logo }])).toContain(`${BEGINNING}entry 1 (Wallet): logo must be a data URI of a PNG`)
  })
})

describe('SERVICE_CONTACT', () => {
  it.each([
    ['help@example.org', { href: 'mailto:help@example.org', text: 'help@example.org' }],
    ['https://example.org/help/', { href: 'https://example.org/help/', text: 'example.org/help' }],
  ])('%s is a link', (value, contact) => {
    expect(serviceContact.parse(value)).toEqual(contact)
  })

  it.each(['javascript:alert(1)', 'http://example.org', 'help', 'a@b?cc=c@d', 'a b@example.org'])(
    '%s is refused',
    (value) => {
      expect(serviceContact.safeParse(value).error?.issues[0]?.message).toBe('must be a mail address or an https URL.')
    },
  )
})
