import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { en } from '../../../client/console/texts/en.js'
import { en as words } from '../../../client/console/texts/signing-keys/en.js'
import { certificateFor, pemOf } from '../../agent/authority.js'
import { intermediate } from '../../agent/certified.js'
import { makeToken, type Token, WITHOUT_TOKEN } from '../../keys/providers/softhsm.js'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen, settled, startOpenService, watchedPage } from './actors.js'
import { choose, press } from './keyboard.js'

const skipped = WITHOUT_TOKEN === undefined ? '' : ` (left out: ${WITHOUT_TOKEN})`
const withToken = it.skipIf(WITHOUT_TOKEN !== undefined)
/** The sizes of a phone and of a small notebook. */
const SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
]

let token: Token | undefined
/** With a token, the service has a key provider called `hsm`. */
const desk = driven(async () => {
  token = WITHOUT_TOKEN === undefined ? await makeToken({ timeoutSeconds: 5 }) : undefined
  return startOpenService(token?.env ?? {})
})
const plain = driven(() => startOpenService())
afterAll(() => token?.remove())

const make = async (kind: 'issuer' | 'verifier', name: string, body: object = {}): Promise<string> => {
  const { status, text, json } = await desk.service.request('POST', `/agent/${kind}`, {
    body: { method: 'web', display: [{ name }], ...body },
  })
  expect(status, text).toBe(201)
  return json.id
}

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const rowOf = (page: Page, place: string, name: string) =>
  panel(page, place)
    .getByRole('row')
    .filter({ has: page.getByText(name, { exact: true }) })

const keyOf = async (id: string) => {
  const { json } = await desk.service.request('GET', '/api/v1/signing-keys')
  return json.items.find((key: { id: string }) => key.id === id)
}

it('without a key provider, the screen explains KEY_PROVIDERS and leads to the settings', async () => {
  await onEveryScreen(plain.browser, async (page, name) => {
    await page.goto(`${plain.service.url}/console/trust/keys`)
    await heading(page, words.title)
    await panel(page, words.noProviders).getByText('KEY_PROVIDERS').waitFor()
    await panel(page, words.database).getByRole('table').waitFor()
    await assertGood(page, `signing-keys-none-${name}`)
    await panel(page, words.noProviders).getByRole('link', { name: words.toSettings }).click()
    await heading(page, en.nav.settings)
  })
})

it('the key of a record is rotated with the keyboard alone: the consequences come before, the next steps after', async () => {
  const id = await make('issuer', 'Keyboard shop')
  const before = await keyOf(id)
  await desk.opened('/trust', async (page) => {
    await heading(page, en.nav.trust)
    await press(page, words.title)
    await heading(page, words.title)
    await settled(page)
    await press(page, words.rotateOf.issuer('Keyboard shop'))
    const dialog = page.getByRole('dialog', { name: words.dialog.title.issuer('Keyboard shop') })
    for (const effect of [words.dialog.newKey, words.dialog.didChanges, words.dialog.formerKey])
      await dialog.getByText(effect).waitFor()
    expect(await dialog.getByText(words.dialog.certificate).count()).toBe(0)
    await assertGood(page, 'signing-keys-rotate')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await keyOf(id)).toEqual(before)
    await page.keyboard.press('Enter')
    await choose(page, words.dialog.algorithm, 'E')
    await press(page, words.dialog.run)
    const done = page.getByRole('dialog', { name: 'Keyboard shop', exact: true })
    await done.getByText(words.dialog.done).waitFor()
    await done.getByText(words.dialog.steps['announce-did']).waitFor()
    await assertGood(page, 'signing-keys-rotated')
    // The focus is on the button that closes the dialog.
    await page.keyboard.press('Enter')
    await done.waitFor({ state: 'detached' })
    await rowOf(page, words.database, 'Keyboard shop').getByText('EdDSA', { exact: true }).waitFor()
  })
  const after = await keyOf(id)
  expect([after.algorithm, after.provider, after.thumbprint === before.thumbprint]).toEqual([
    'EdDSA',
    'database',
    false,
  ])
})

it('a certificate stays behind, and the screen says so before and after', async () => {
  const id = await make('verifier', 'Certified desk')
  const path = `/agent/verifier/${id}/certificate`
  const asked = await desk.service.request('GET', `${path}-request`)
  const chain = pemOf(certificateFor(asked.json.certificateRequest, { dns: ['127.0.0.1'] }), intermediate)
  expect((await desk.service.request('POST', path, { body: { chain } })).status).toBe(200)
  await desk.opened(`/trust/verifiers/${id}`, async (page) => {
    await heading(page, 'Certified desk')
    await panel(page, en.trust.identity).getByRole('link', { name: words.title }).click()
    await heading(page, words.title)
    await rowOf(page, words.database, 'Certified desk').getByRole('button').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(words.dialog.certificate).waitFor()
    await dialog.getByRole('button', { name: words.dialog.run }).click()
    await dialog.getByText(words.dialog.steps['request-certificate']).waitFor()
    await dialog.getByRole('link', { name: words.dialog.toRecord }).click()
    await heading(page, 'Certified desk')
    await page.getByText(en.trust.noVerifierCertificate).waitFor()
  })
})

it('the rotation of a colleague appears on the screen', async () => {
  const id = await make('issuer', 'Shared shop')
  await desk.opened('/trust/keys', async (page) => {
    await rowOf(page, words.database, 'Shared shop').getByText('ES256', { exact: true }).waitFor()
    const body = { algorithm: 'EdDSA' }
    expect((await desk.service.request('POST', `/api/v1/issuers/${id}/rotate`, { body })).status).toBe(201)
    await rowOf(page, words.database, 'Shared shop').getByText('EdDSA', { exact: true }).waitFor()
  })
})

withToken(
  `a new record gets its key in the chosen provider, and the key moves back into the database${skipped}`,
  async () => {
    await desk.opened('/trust/issuers/new-issuer', async (page) => {
      await heading(page, en.trust.newIssuer)
      await page.getByRole('textbox', { name: 'Name' }).first().fill('Hardware shop')
      await page.getByLabel(words.choice.place).selectOption('hsm')
      await page.getByRole('radio', { name: words.choice.delegated }).waitFor()
      await assertGood(page, 'signing-keys-new-issuer')
      await page.getByRole('button', { name: en.trust.makeIssuer }).click()
      await heading(page, 'Hardware shop')
      await panel(page, en.trust.identity).getByRole('link', { name: words.title }).click()
      const row = rowOf(page, 'hsm', 'Hardware shop')
      const { json } = await desk.service.request('GET', '/api/v1/signing-keys?provider=hsm&limit=1')
      await row.getByText(json.items[0].reference, { exact: true }).waitFor()
      await row.getByRole('button').click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(words.dialog.place).selectOption('database')
      await dialog.getByRole('button', { name: words.dialog.run }).click()
      await dialog.getByText(words.dialog.done).waitFor()
      await dialog.getByRole('button', { name: en.common.close }).click()
      await rowOf(page, words.database, 'Hardware shop').waitFor()
      expect(await row.count()).toBe(0)
    })
  },
)

withToken(`a provider that is away says so with its reason, and a rotation there is refused${skipped}`, async () => {
  await make('verifier', 'Hardware desk', { keyProvider: 'hsm' })
  const provider = (page: Page) => panel(page, 'hsm')
  await desk.opened(
    '/trust/keys',
    async (page) => {
      await provider(page).getByText(words.up, { exact: true }).waitFor()
      await provider(page).getByText(words.kinds.pkcs11).waitFor()
      await token?.takeAway()
      try {
        const check = provider(page).getByRole('button', { name: `${words.checkAgain}: hsm` })
        // A check of the service is the answer for five seconds.
        await expect
          .poll(
            async () => {
              await check.click()
              return provider(page).getByText(words.away, { exact: true }).count()
            },
            { interval: 1_000 },
          )
          .toBe(1)
        await provider(page).getByText(words.effect, { exact: false }).waitFor()
        await provider(page)
          .getByText(/the token|the process|did not answer/)
          .waitFor()
        await rowOf(page, 'hsm', 'Hardware desk').getByRole('button').click()
        const dialog = page.getByRole('dialog')
        await dialog.getByRole('button', { name: words.dialog.run }).click()
        await dialog.getByText('Signing is not available at the moment.').waitFor()
        // The service answers, so the console does not say that the service is away.
        expect(await page.getByText(en.connection.away).count()).toBe(0)
        await assertGood(page, 'signing-keys-refused')
        await dialog.getByRole('button', { name: en.common.cancel }).click()
        for (const viewport of SIZES) {
          const context = await desk.browser.newContext({ viewport, locale: 'de-DE' })
          const watched = await watchedPage(context)
          await watched.page.goto(`${desk.service.url}/console/trust/keys`)
          await settled(watched.page)
          await watched.page.getByText('nicht nutzbar').waitFor()
          await assertGood(watched.page, `signing-keys-away-${viewport.width}`, 'de')
          await rowOf(watched.page, 'hsm', 'Hardware desk').getByRole('button').click()
          await watched.page.getByRole('dialog').getByText('Was geschieht').waitFor()
          await assertGood(watched.page, `signing-keys-dialog-${viewport.width}`, 'de')
          expect(watched.complaints).toEqual([])
          await context.close()
        }
        // The checklist of the overview leads here.
        await page.goto(`${desk.service.url}/console/`)
        await page.getByText(/needs? attention\.$/).click()
        await page.getByRole('link', { name: en.overview.setupItems.keyProviders }).click()
        await heading(page, words.title)
      } finally {
        await token?.bringBack()
      }
    },
    [503],
  )
})
