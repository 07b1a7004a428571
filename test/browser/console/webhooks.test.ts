import { afterAll, beforeAll, expect, it } from 'vitest'
import { LOOPBACK } from '../../support/wallet.js'
import { type Receiver, startReceiver } from '../../webhooks/receiver.js'
import { assertGood } from '../actors.js'
import { driven, heading, startOpenService } from './actors.js'
import { press, typeInto } from './keyboard.js'

let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver[Symbol.asyncDispose]())

const desk = driven(() => startOpenService(LOOPBACK))

it('a webhook is created with the keyboard alone, shows its secret once, is tested, and sends a delivery again', async () => {
  await desk.opened(
    '/webhooks',
    async (page) => {
      await heading(page, 'Webhooks')
      await typeInto(page, 'Address', 'http://10.0.0.1/hook')
      await press(page, 'Create the webhook')
      const wrong = page.locator('[aria-invalid="true"]')
      await wrong.or(page.getByText('has an address that is not public')).first().waitFor()
      await page.getByRole('textbox', { name: /^Address/ }).fill(`${receiver.url}/hook`)
      await press(page, 'Create the webhook')
      const dialog = page.getByRole('dialog')
      const secret = (await dialog.locator('code').textContent()) ?? ''
      expect(secret).toMatch(/^whsec_/)
      receiver.secrets.push(secret)
      await assertGood(page, 'webhook-secret')
      await dialog.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('link', { name: `${receiver.url}/hook` }).click()
      await heading(page, new URL(receiver.url).host)
      expect(await page.content()).not.toContain(secret)
      receiver.answers((_, response) => response.writeHead(200).end('thank you'))
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByText('Your backend accepted the test.').waitFor()
      await page.getByRole('region', { name: 'Deliveries' }).getByText('thank you').waitFor()
      const sent = receiver.received.length
      const again = page.getByRole('button', { name: 'Send again: webhook.test' })
      await again.waitFor()
      // This comes before the click, because the row of a delivery that is sent again may have no button.
      await assertGood(page, 'webhook')
      await again.click()
      await expect.poll(() => receiver.received.length).toBe(sent + 1)
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByText('There is no webhook yet.').waitFor()
    },
    [400],
  )
})
