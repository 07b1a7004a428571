import { expect, it } from 'vitest'
import { whomToAsk } from '../../server/pages/contact.js'
import { html } from '../../server/pages/html.js'
import { speechFor } from '../../server/pages/speech.js'
import { contactOf } from '../../server/people-pages/contact.js'
import { openBody } from '../../server/people-pages/frame.js'

const SERVICE = { href: 'mailto:help@service.example', text: 'help@service.example' }
const config = { serviceContact: SERVICE }

const branded = (contact: { email?: string; url?: string; phone?: string }) => ({ branding: { contact } })

it.each([
  [branded({ email: 'shop@shop.example', url: 'https://shop.example/help' }), 'mailto:shop@shop.example'],
  [branded({ url: 'https://shop.example/help', phone: '+49 30 1234567' }), 'https://shop.example/help'],
  [branded({ phone: '+49 30 1234567' }), 'tel:+49301234567'],
  [{ branding: {} }, SERVICE.href],
  [{ branding: null }, SERVICE.href],
])('%j: people ask the issuer or verifier of the page, otherwise the service', (face, href) => {
  expect(contactOf(config, face)?.href).toBe(href)
})

it('without any contact there is none', () => {
  expect(contactOf({ serviceContact: undefined }, { branding: null })).toBeUndefined()
})

const reader = (lang: string) => speechFor({ headers: { 'accept-language': lang } }, 'https://verifier.example')

it('a telephone number keeps its order on a page that runs from right to left', () => {
  const phone = '+49 30 1234567'
  const contact = contactOf(config, branded({ phone }))
  expect(whomToAsk(contact, reader('ar'))?.text).toContain(`<bdi dir="ltr">${phone}</bdi>`)
})

it('a purpose keeps its own direction on a page that runs from right to left', () => {
  const page = {
    url: 'https://verifier.example/present/1',
    from: 'Shop',
    heading: 'x',
    text: null,
    purpose: 'We check your age.',
    what: html``,
    status: 'x',
    timeLeft: html``,
    ways: html``,
  }
  expect(openBody(page, reader('ar')).text).toContain('<bdi>We check your age.</bdi>')
})
