import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { en } from '../../../client/console/texts/en.js'
import { en as words } from '../../../client/console/texts/signing-keys/en.js'
import { pemOf, readRequest } from '../../agent/authority.js'
import { leafOf, root } from '../../agent/certified.js'
import { authorityOf, opensslVerify, partsOf } from '../../agent/delegated.js'
import { postSchema, SUBJECT } from '../../issuer/purchase.js'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen, settled, startOpenService } from './actors.js'
import { press } from './keyboard.js'

const { certify, choice } = words
const desk = driven(() => startOpenService())

const make = async (name: string, body: object = {}): Promise<string> => {
  const answer = await desk.service.request('POST', '/agent/issuer', {
    body: { method: 'key', display: [{ name }], ...body },
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.json.id
}

const signingOf = async (id: string): Promise<string> =>
  (await desk.service.request('GET', `/api/v1/issuers/${id}`)).json.signing

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const panel = (page: Page) => region(page, en.trust.certificate)
const chooses = (page: Page, which: 'every' | 'delegated') => page.getByRole('radio', { name: choice[which] }).check()
const field = (page: Page) => page.getByLabel(en.trust.chain)

/** Shows and downloads the certificate request. Resolves with the key that an authority reads from it. */
async function requestedKey(page: Page) {
  await page.getByRole('button', { name: en.trust.showRequest }).click()
  const request = await page.getByRole('textbox', { name: en.trust.request }).inputValue()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: en.trust.downloadRequest }).click()
  expect((await download).suggestedFilename()).toBe('issuer.csr')
  const read = readRequest(request)
  expect(read.signed).toBe(true)
  return { request: read, keyPair: { publicKey: read.publicKey, privateKey: root.privateKey } }
}

/** The certificates of a credential that the issuer signs now. */
async function chainNow(issuerId: string) {
  const { name: type } = await postSchema(desk.service, '')
  const body = { type, credential_subject: SUBJECT, format: 'dc+sd-jwt', issuerId }
  const { status, text, json } = await desk.service.request('POST', '/credentials/sign', { body })
  expect(status, text).toBe(201)
  return partsOf(json.credential).chain
}

/** OpenSSL names basicConstraints by its object identifier, 2.5.29.19. */
const asksForAuthority = ({ der }: { readonly der: Buffer }): boolean => der.includes(Buffer.from('0603551d13', 'hex'))

describe('the certificate of an issuer', () => {
  it('is requested and sent on the screen of the issuer, which then signs with its chain', async () => {
    const id = await make('Chain shop')
    await desk.opened(
      `/trust/issuers/${id}`,
      async (page) => {
        await heading(page, 'Chain shop')
        await panel(page).getByText(en.trust.noIssuerCertificate).waitFor()
        await page.getByText(certify.send.every).waitFor()
        const { keyPair, request } = await requestedKey(page)
        expect(asksForAuthority(request)).toBe(false)
        // The certificate of an authority is refused, because the key signs every document.
        await field(page).fill(pemOf(authorityOf({ keyPair })))
        await page.getByRole('button', { name: en.trust.useCertificate }).click()
        await page.locator('.wrong').getByText('unless signing is delegated').waitFor()
        await assertGood(page, 'issuer-certificate-wrong')
        const leaf = leafOf({ issuer: root, keyPair, dns: [], uri: [desk.service.url] })
        await field(page).fill(pemOf(leaf, root))
        await page.getByRole('button', { name: en.trust.useCertificate }).click()
        await page.getByText(en.trust.certified).waitFor()
        await panel(page).getByText('until 31 Dec 2099').first().waitFor()
        await expect.poll(() => field(page).inputValue()).toBe('')
        expect((await chainNow(id)).map(String)).toEqual([String(leaf.certificate)])
      },
      [400],
    )
  })

  it('and what its key signs change together: the credential then has a signer below the certificate', async () => {
    const id = await make('Delegating shop')
    await desk.opened(`/trust/issuers/${id}`, async (page) => {
      await heading(page, 'Delegating shop')
      // A request that was shown for another choice disappears: its certificate would be refused.
      await requestedKey(page)
      await chooses(page, 'delegated')
      expect(await page.getByRole('textbox', { name: en.trust.request }).count()).toBe(0)
      await page.getByText(certify.send.delegated).waitFor()
      const { keyPair, request } = await requestedKey(page)
      expect(asksForAuthority(request)).toBe(true)
      const authority = authorityOf({ keyPair })
      await field(page).fill(pemOf(authority, root))
      await page.getByRole('button', { name: en.trust.useCertificate }).click()
      await page.getByText(en.trust.certified).waitFor()
      await region(page, en.trust.signs).getByText(words.signings.delegated).waitFor()
      expect(await page.getByRole('radio', { name: choice.delegated }).isChecked()).toBe(true)
      await assertGood(page, 'issuer-certificate-delegated')
      const chain = await chainNow(id)
      expect(chain.map(String)[1]).toBe(String(authority.certificate))
      expect(await opensslVerify(chain, root.certificate)).toContain('OK')

      // Back again: the choice alone is not stored, because the certificate does not fit it.
      await chooses(page, 'every')
      await page.getByText(certify.withCertificate).waitFor()
      expect(await page.getByRole('button', { name: certify.save }).count()).toBe(0)
      expect(await signingOf(id)).toBe('delegated')
      const leaf = leafOf({ issuer: root, keyPair, dns: [], uri: [desk.service.url] })
      await field(page).fill(pemOf(leaf))
      await page.getByRole('button', { name: en.trust.useCertificate }).click()
      await region(page, en.trust.signs).getByText(words.signings.every).waitFor()
      expect((await chainNow(id)).map(String)).toEqual([String(leaf.certificate)])
    })
    expect(await signingOf(id)).toBe('every')
  })
})

describe('what the key of an issuer without a certificate signs', () => {
  it('is changed with the keyboard alone, and a pasted certificate stays', async () => {
    const id = await make('Keyboard shop')
    await desk.opened(`/trust/issuers/${id}`, async (page) => {
      await heading(page, 'Keyboard shop')
      await field(page).fill('pasted')
      await page.getByRole('radio', { name: choice.every }).focus()
      await page.keyboard.press('ArrowDown')
      await press(page, certify.save)
      await page.getByText(certify.saved).waitFor()
      await region(page, en.trust.signs).getByText(words.signings.uncertified).waitFor()
      expect(await field(page).inputValue()).toBe('pasted')
      await assertGood(page, 'issuer-signing-saved')
    })
    expect(await signingOf(id)).toBe('delegated')
    // The key signs every document until it has a certificate.
    expect(await chainNow(id)).toEqual([])
  })

  it('can no longer be stored alone as soon as a colleague has sent a certificate: the screen says so by itself', async () => {
    const id = await make('Shared shop')
    await desk.opened(`/trust/issuers/${id}`, async (page) => {
      await heading(page, 'Shared shop')
      const { keyPair } = await requestedKey(page)
      await chooses(page, 'delegated')
      const save = page.getByRole('button', { name: certify.save })
      await save.waitFor()
      const chain = pemOf(leafOf({ issuer: root, keyPair, dns: [], uri: [desk.service.url] }))
      const sent = await desk.service.request('POST', `/agent/issuer/${id}/certificate`, { body: { chain } })
      expect(sent.status, sent.text).toBe(200)
      await page.getByText(certify.withCertificate).waitFor()
      expect(await save.count()).toBe(0)
      expect(await page.getByRole('radio', { name: choice.delegated }).isChecked()).toBe(true)
    })
    expect(await signingOf(id)).toBe('every')
  })

  it('is decided by ISSUER_SIGNING for the default issuer, as its screen says', async () => {
    const { json } = await desk.service.request('GET', '/api/v1/issuers')
    const { id } = json.items.find(({ isDefault }: { readonly isDefault: boolean }) => isDefault)
    await desk.opened(`/trust/issuers/${id}`, async (page) => {
      await region(page, en.trust.signs).getByText(words.signingFixed).waitFor()
      expect(await page.getByRole('radio').count()).toBe(0)
    })
  })
})

it('the screen of an issuer is good in every size, light and dark', async () => {
  const id = await make('Every size')
  await onEveryScreen(desk.browser, async (page, name) => {
    await page.goto(`${desk.service.url}/console/trust/issuers/${id}`)
    await heading(page, 'Every size')
    await settled(page)
    await page.getByRole('radio', { name: choice.delegated }).check()
    await page.getByRole('button', { name: en.trust.showRequest }).click()
    await page.getByRole('textbox', { name: en.trust.request }).waitFor()
    await assertGood(page, `issuer-certificate-${name}`)
  })
})
