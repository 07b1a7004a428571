import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { LOOPBACK, newWallet } from '../../support/wallet.js'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen, startOpenService } from './actors.js'
import { press, tabTo } from './keyboard.js'

const demonstration = JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8'))
const SUBJECT = { productName: 'Espresso machine', merchant: 'Corner Shop', purchaseDate: '2026-03-01' }
const TAKEN = 3

const desk = driven(() => startOpenService(LOOPBACK))

const rows = (page: Page) => page.getByRole('table', { name: 'Credentials' }).getByRole('rowheader')

describe('issued credentials', () => {
  it('without any credential, the screen leads to the next step', async () => {
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console/credentials`)
      await page.getByText('There is no issued credential yet').waitFor()
      await assertGood(page, `credentials-empty-${name}`)
    })
  })

  it('are found by each filter, and show no claims', async () => {
    expect((await desk.service.request('POST', '/schemas', { body: demonstration })).status).toBe(201)
    const wallet = await newWallet(desk.service)
    for (let taken = 0; taken < TAKEN; taken += 1) {
      const offer = await desk.service.request('POST', '/credential-offers', {
        body: { credentialConfigurationIds: ['ProofOfPurchase-sd-jwt'], credentialSubject: SUBJECT },
      })
      expect((await wallet.process(offer.json.credentialOfferUri)).status).toBe(200)
    }
    await desk.opened('/credentials', async (page) => {
      await rows(page).first().waitFor()
      expect(await rows(page).count()).toBe(TAKEN)
      expect(await page.locator('main').textContent()).not.toContain('Espresso machine')
      const address = (await rows(page).first().getByRole('link').first().getAttribute('href')) ?? ''
      const id = address.slice(address.lastIndexOf('/') + 1)
      await page.getByLabel('Id begins with').fill(id.slice(0, 8))
      await page.keyboard.press('Enter')
      await expect.poll(() => rows(page).count()).toBe(1)
      await page.getByLabel('Credential type').selectOption('Proof of purchase')
      await expect.poll(() => new URL(page.url()).searchParams.get('schema')).toBe('ProofOfPurchase')
      await expect.poll(() => rows(page).count()).toBe(1)
      await page.getByLabel('Status').selectOption('revoked')
      await page.getByText('No credential matches these filters').waitFor()
    })
  })

  it('a permitted user can read the claims after a click', async () => {
    await desk.opened('/credentials', async (page) => {
      const asked: string[] = []
      page.on('request', (request) => {
        if (request.url().includes('credentials.read')) asked.push(request.url())
      })
      await rows(page).first().getByRole('link').click()
      await page.getByRole('table', { name: '1 instance' }).waitFor()
      expect([asked, await page.getByText('Espresso machine').count()]).toEqual([[], 0])
      await press(page, 'Show the claims')
      await page.locator('.credential').getByText('Espresso machine').waitFor()
      await assertGood(page, 'credential-content')
      await page.goBack()
      await rows(page).first().waitFor()
      expect(await page.getByText('Espresso machine').count()).toBe(0)
    })
  })

  it('for a credential of another user, a sentence says who may read its claims', async () => {
    await desk.opened('/credentials', async (page) => {
      await page.route(/credentials\.read/, (route) =>
        route.continue({
          url: route
            .request()
            .url()
            .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, crypto.randomUUID()),
        }),
      )
      await rows(page).first().getByRole('link').click()
      await press(page, 'Show the claims')
      await page
        .getByText('Only the creator, the signer and the holder of this credential may read its claims.')
        .waitFor()
    })
  })

  it('a credential is revoked with the keyboard alone, and its history shows the revocation', async () => {
    await desk.opened('/credentials', async (page) => {
      await rows(page).first().getByRole('link').focus()
      await page.keyboard.press('Enter')
      await heading(page, 'Proof of purchase')
      await press(page, 'Revoke')
      await page.getByRole('dialog', { name: 'Revoke 1 credential?' }).waitFor()
      await tabTo(page, 'Revoke')
      await page.keyboard.press('Enter')
      const history = page.getByRole('list', { name: 'History' })
      await history.getByText('Credential revoked', { exact: true }).waitFor()
      expect(await page.getByText('active', { exact: true }).count()).toBe(0)
    })
  })

  it('many credentials are revoked at once; a user who stops sees how many are revoked, and can continue', async () => {
    await desk.opened('/credentials', async (page) => {
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route(/credentials\.revoke/, async (route) => {
        await released
        return route.continue()
      })
      await page.getByLabel('Select all active credentials here').check()
      await page.getByRole('button', { name: `Revoke ${TAKEN - 1}` }).click()
      const question = page.getByRole('dialog', { name: `Revoke ${TAKEN - 1} credentials?` })
      await assertGood(page, 'credentials-revoke')
      await question.getByRole('button', { name: 'Revoke' }).click()
      await question.getByRole('button', { name: 'Stop' }).click()
      release()
      await question.getByText(`Stopped: 1 of ${TAKEN - 1} are revoked and stay revoked.`).waitFor()
      const revoked = await desk.service.request('GET', '/api/v1/credentials?status=revoked')
      expect(revoked.json.items).toHaveLength(2)
      await question.getByRole('button', { name: 'Continue' }).click()
      await question.waitFor({ state: 'hidden' })
      await expect.poll(() => page.locator('tbody .tag.bad').count()).toBe(TAKEN)
      const listed = await desk.service.request('GET', '/api/v1/credentials?status=active')
      expect(listed.json.items).toEqual([])
    })
  })

  it('the claims of one are erased after a question, and a sentence takes their place', async () => {
    const made = await desk.service.request('POST', '/api/v1/credentials', {
      body: { type: 'ProofOfPurchase', credential_subject: SUBJECT },
    })
    expect(made.status, made.text).toBe(201)
    await desk.service.request('POST', `/api/v1/credentials/${made.json.id}/revoke`)
    await desk.opened(`/credentials/${made.json.id}`, async (page) => {
      await press(page, 'Erase claims')
      const question = page.getByRole('dialog', { name: 'Erase the claims of this credential?' })
      await question.waitFor()
      await assertGood(page, 'credential-erase')
      await tabTo(page, 'Erase claims')
      await page.keyboard.press('Enter')
      await page.getByText('The claims of this credential were erased. Its status and history stay.').waitFor()
      const history = page.getByRole('list', { name: 'History' })
      await history.getByText('Claims of a credential erased', { exact: true }).waitFor()
      // The dialog with its button closes after the screen has read the credential again.
      await question.waitFor({ state: 'detached' })
      expect(await page.getByRole('button', { name: 'Erase claims' }).count()).toBe(0)
      await assertGood(page, 'credential-erased')
    })
    const read = await desk.service.request('GET', `/api/v1/credentials/${made.json.id}`)
    expect(read.json.vc).not.toHaveProperty('credentialSubject')
  })

  it('are good in every size, light and dark', async () => {
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console/credentials`)
      await rows(page).first().waitFor()
      await assertGood(page, `credentials-${name}`)
      await rows(page).first().getByRole('link').click()
      await page.getByRole('table', { name: '1 instance' }).waitFor()
      await assertGood(page, `credential-${name}`)
    })
  })

  it('one is suspended with a reason and a note, found as suspended, and reinstated', async () => {
    const body = { ...demonstration, name: 'StudentCard', suspendable: true }
    expect((await desk.service.request('POST', '/schemas', { body })).status).toBe(201)
    const { json } = await desk.service.request('POST', '/api/v1/credentials', {
      body: { type: 'StudentCard', credential_subject: SUBJECT },
    })
    await desk.opened(`/credentials/${json.id}`, async (page) => {
      await press(page, 'Suspend')
      const question = page.getByRole('dialog', { name: 'Suspend 1 credential?' })
      await question.getByLabel('Reason').selectOption('The holder asked for it')
      await question.getByLabel('Note').fill('Phone lost on Monday')
      await assertGood(page, 'credential-suspend')
      await question.getByRole('button', { name: 'Suspend' }).click()
      await question.waitFor({ state: 'hidden' })
      const history = page.getByRole('list', { name: 'History' })
      await history.getByText('Credential suspended', { exact: true }).waitFor()
      await history.getByText('The holder asked for it').waitFor()
      expect(await page.getByText('Phone lost on Monday').count()).toBe(0)
      await press(page, 'Show the note')
      await page.getByText('Phone lost on Monday').waitFor()
      await assertGood(page, 'credential-suspended')
      await page.goto(`${desk.service.url}/console/credentials?status=suspended`)
      await rows(page).first().waitFor()
      expect([await rows(page).count(), await page.locator('tbody .tag').textContent()]).toEqual([1, 'suspended'])
      await rows(page).first().getByRole('link').click()
      await press(page, 'Reinstate')
      const again = page.getByRole('dialog', { name: 'Reinstate 1 credential?' })
      await again.getByRole('button', { name: 'Reinstate' }).click()
      await history.getByText('Credential reinstated', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Suspend' }).waitFor()
      await press(page, 'Show the note')
      await page.getByText('There is no note.').waitFor()
    })
  })
})
