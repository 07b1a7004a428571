import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificateFor, pemOf } from '../../agent/authority.js'
import { certificateFiles, HTTPS, intermediate, leafOf, root } from '../../agent/certified.js'
import { type ConsoleService, startConsole } from '../../console/actors.js'
import { anchorFiles } from '../../verifier/certified.js'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen, settled, startOpenService } from './actors.js'
import { press, typeInto } from './keyboard.js'

const DAY_MS = 86_400_000
/** The certificate of the default issuer. It expires soon. */
const leaf = leafOf({ notAfter: new Date(Date.now() + 10.5 * DAY_MS).toISOString() })

const files = certificateFiles()
const anchors = anchorFiles()
afterAll(async () => {
  await (await files).remove()
  await (await anchors)[Symbol.asyncDispose]()
})

const desk = driven(async () =>
  startOpenService({
    ...HTTPS,
    ISSUER_X509: await (await files).fileOf([leaf, intermediate]),
    TRUST_ANCHORS: await (await anchors).write('roots', root),
  }),
)

const make = async (kind: 'issuer' | 'verifier', name: string): Promise<string> =>
  (await desk.service.request('POST', `/agent/${kind}`, { body: { method: 'web', display: [{ name }] } })).json.id

const defaultOf = async (kind: 'issuers' | 'verifiers'): Promise<string> => {
  const { json } = await desk.service.request('GET', `/api/v1/${kind}`)
  return json.items.find(({ isDefault }: { isDefault: boolean }) => isDefault).id
}

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

describe('issuers and verifiers', () => {
  it('are made with the keyboard alone; errors are shown at their fields', async () => {
    await desk.opened(
      '/trust',
      async (page) => {
        await heading(page, 'Trust and keys')
        await press(page, 'New issuer')
        await heading(page, 'New issuer')
        await typeInto(page, 'Name', 'x'.repeat(201))
        await press(page, 'Create issuer')
        const name = page.getByRole('textbox', { name: /^Name/ })
        await page.locator('[aria-invalid="true"]').waitFor()
        const described = await page.locator('[aria-invalid="true"]').getAttribute('aria-describedby')
        expect(await page.locator(`[id="${described?.split(' ').at(-1)}"]`).textContent()).toContain('200 characters')
        await assertGood(page, 'trust-new-issuer-wrong')
        await name.fill('Registry office')
        await press(page, 'Create issuer')
        await heading(page, 'Registry office')
        await region(page, 'Identity').getByText('ES256 (P-256)').waitFor()
        await region(page, 'Formats that it can sign').getByText('needs a certificate').waitFor()
        await page.getByText('Show the DID document').click()
        expect(await region(page, 'Identity').locator('pre').textContent()).toContain('JsonWebKey2020')
        expect(await page.content()).not.toContain('"d":')
      },
      [400],
    )
    const { items } = (await desk.service.request('GET', '/api/v1/issuers')).json
    expect(items[0].display).toEqual([{ name: 'Registry office', locale: 'en' }])
  })

  it('show certificates with subject and expiry, and warn before the expiry', async () => {
    await desk.opened('/trust', async (page) => {
      const row = page.getByRole('table', { name: 'Issuers' }).getByRole('row').filter({ hasText: 'default' })
      await row.getByText('expires in 10 days').waitFor()
      await row.getByRole('link').click()
      const certificate = region(page, 'Certificate')
      await certificate.getByText('CN=Issuer', { exact: true }).waitFor()
      expect(await certificate.getByRole('listitem').filter({ hasText: 'Serial number' }).count()).toBe(2)
      expect(await certificate.locator(`[title="${leaf.certificate.serialNumber}"]`).count()).toBe(1)
      await certificate.getByText('C=DE, CN=Intermediate').first().waitFor()
      expect(await region(page, 'Formats that it can sign').getByText('yes', { exact: true }).count()).toBe(3)
      // The screen says how to renew the certificate. The key and the certificates are in a file of the service.
      await certificate.getByText('Renew the certificate').click()
      await certificate.getByText('subjectAltName=DNS:credence.example').waitFor()
      await certificate.getByText('Set ISSUER_X509 to the path').waitFor()
    })
  })

  it('get a certificate: the request is shown, a certificate for another key is refused at the field, and the right certificate is used', async () => {
    const id = await make('verifier', 'Corner Shop')
    await desk.opened(
      `/trust/verifiers/${id}`,
      async (page) => {
        await heading(page, 'Corner Shop')
        await region(page, 'Client identifiers').getByText('needs a certificate').first().waitFor()
        await page.getByRole('button', { name: 'Show the certificate request' }).click()
        const request = await page.getByRole('textbox', { name: 'Certificate request' }).inputValue()
        const download = page.waitForEvent('download')
        await page.getByRole('button', { name: 'Download the request' }).click()
        expect((await download).suggestedFilename()).toBe('verifier.csr')
        const field = page.getByLabel('Certificate of the authority')
        await page.getByRole('button', { name: 'Use this certificate' }).click()
        await page.locator('.wrong').waitFor()
        await field.fill(pemOf(leafOf(), intermediate))
        await page.getByRole('button', { name: 'Use this certificate' }).click()
        await page.locator('.wrong').getByText('must begin with a certificate for the key').waitFor()
        await assertGood(page, 'trust-certificate-wrong')
        await field.fill(pemOf(certificateFor(request, { dns: ['credence.example'] }), intermediate))
        await page.getByRole('button', { name: 'Use this certificate' }).click()
        await page.getByText('The certificate is now in use.').waitFor()
        await region(page, 'Certificate').getByText('until 31 Dec 2099').first().waitFor()
        const byCertificate = region(page, 'Client identifiers')
          .getByRole('listitem')
          .filter({ hasText: 'By its certificate' })
        await byCertificate.getByText('default').waitFor()
      },
      [400],
    )
    const { names } = (await desk.service.request('GET', `/api/v1/verifiers/${id}`)).json
    const asked = await desk.service.request('POST', '/authorization-requests', {
      body: {
        verifierId: id,
        dcqlQuery: { credentials: [{ id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['x'] } }] },
      },
    })
    const hash = names.find(({ prefix }: { prefix: string }) => prefix === 'x509_hash').clientId
    expect(new URL(asked.json.authorizationRequestUri).searchParams.get('client_id')).toBe(hash)
  })

  it('are renamed; if two users rename at once, the second user sees the name of the first user', async () => {
    const id = await make('issuer', 'Office')
    await desk.opened(
      `/trust/issuers/${id}`,
      async (page) => {
        await heading(page, 'Office')
        const name = region(page, 'Name and branding').getByRole('textbox', { name: /^Name/ })
        await name.fill('My office')
        const theirs = { before: [{ name: 'Office' }], display: [{ name: 'Their office' }] }
        expect((await desk.service.request('POST', `/api/v1/issuers/${id}/display`, { body: theirs })).status).toBe(200)
        await page.getByRole('button', { name: 'Save name and branding' }).click()
        await page.getByText('Another user has changed this record.').waitFor()
        expect(await name.inputValue()).toBe('My office')
        await heading(page, 'Their office')
        await assertGood(page, 'trust-changed-meanwhile')
        await page.getByRole('button', { name: 'Show the current values' }).click()
        await expect.poll(() => name.inputValue()).toBe('Their office')
        await name.fill('Our office')
        await page.getByRole('button', { name: 'Save name and branding' }).click()
        await page.getByText('Saved.').waitFor()
        await heading(page, 'Our office')
      },
      [409],
    )
  })
})

describe('trusted issuers', () => {
  it('are added and removed with the keyboard alone', async () => {
    await desk.opened('/', async (page) => {
      await heading(page, 'Overview')
      await press(page, 'Trust and keys')
      await heading(page, 'Trust and keys')
      await press(page, 'Trusted issuers')
      await heading(page, 'Trusted issuers')
      await typeInto(page, 'DID or web address of the issuer', 'https://keyboard.example')
      await typeInto(page, 'Note', 'Keys')
      await press(page, 'Trust this issuer')
      const listed = page.getByRole('table', { name: 'Added issuers' })
      await listed.getByText('https://keyboard.example').waitFor()
      await press(page, 'Remove Keys')
      const question = page.getByRole('dialog', { name: 'Stop trusting Keys?' })
      await question.waitFor()
      await page.keyboard.press('Escape')
      await question.waitFor({ state: 'detached' })
      // The focus has not moved, so Tab continues from the same element.
      await page.keyboard.press('Enter')
      await question.waitFor()
      await press(page, 'Stop trusting')
      await page.getByText('No issuer is added yet.').waitFor()
    })
  })

  it('a confirmation stays open if another user removes the issuer meanwhile, and says so', async () => {
    const added = await desk.service.request('POST', '/api/v1/trusted-issuers', {
      body: { issuer: 'https://meanwhile.example', note: 'Meanwhile' },
    })
    expect(added.status, added.text).toBe(201)
    await desk.opened('/trust/trusted', async (page) => {
      await press(page, 'Remove Meanwhile')
      const question = page.getByRole('dialog', { name: 'Stop trusting Meanwhile?' })
      await question.waitFor()
      const removed = await desk.service.request('DELETE', `/api/v1/trusted-issuers/${added.json.id}`)
      expect(removed.status, removed.text).toBe(204)
      await question.getByText('Another user has already done this.').waitFor()
      expect(await question.getByRole('button', { name: 'Stop trusting' }).count()).toBe(0)
      await assertGood(page, 'trust-gone-meanwhile')
      // The only button has the focus.
      await page.keyboard.press('Enter')
      await question.waitFor({ state: 'detached' })
      await page.getByText('No issuer is added yet.').waitFor()
    })
  })

  it('issuers are added and removed; an invalid issuer is refused at its field, and a removal needs a confirmation', async () => {
    await desk.opened(
      '/trust/trusted',
      async (page) => {
        await heading(page, 'Trusted issuers')
        await page.getByText('No issuer is added yet.').waitFor()
        await typeInto(page, 'DID or web address of the issuer', 'university')
        await press(page, 'Trust this issuer')
        await page.locator('.wrong').getByText('must be a DID or an origin').waitFor()
        const field = page.getByLabel('DID or web address of the issuer')
        expect(await field.inputValue()).toBe('university')
        await field.fill('https://university.example')
        await typeInto(page, 'Note', 'Diplomas')
        await press(page, 'Trust this issuer')
        const listed = page.getByRole('table', { name: 'Added issuers' })
        await listed.getByText('https://university').waitFor()
        await expect.poll(() => field.inputValue()).toBe('')
        await field.fill('https://university.example/')
        await page.keyboard.press('Enter')
        await page.locator('.wrong').getByText('is trusted already').waitFor()
        await press(page, 'Remove Diplomas')
        const question = page.getByRole('dialog', { name: 'Stop trusting Diplomas?' })
        await question.waitFor()
        await assertGood(page, 'trust-remove')
        await question.getByRole('button', { name: 'Stop trusting' }).click()
        await page.getByText('No issuer is added yet.').waitFor()
      },
      [400, 409],
    )
  })

  it('roots of the configuration are shown with their expiry', async () => {
    await desk.opened('/trust/trusted', async (page) => {
      await region(page, 'Trust anchors of issuers').getByText('TRUST_ANCHORS').waitFor()
      await region(page, 'Trust anchors of issuers').getByText('until 31 Dec 2099').first().waitFor()
      await region(page, 'Trust anchors of wallet providers').getByText('None.').waitFor()
      await region(page, 'From the configuration').getByText('This installation’s own issuers').waitFor()
    })
  })
})

it('the rotation of keys: the command can be copied, and its effects are explained', async () => {
  await desk.opened('/trust/rotation', async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy the command for new keys', exact: true }).click()
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toBe('node dist/server/key-rotation/command.js')
    // Every command is fully visible at every width of the screen.
    const hidden = await page
      .locator('.command > pre')
      .evaluateAll((all) => all.map((each) => each.scrollWidth - each.clientWidth))
    expect(hidden).toEqual([0, 0, 0, 0])
    const meaning = region(page, 'Effects')
    for (const about of ['Issued credentials', 'Status lists', 'Open requests'])
      await meaning.getByText(about).waitFor()
  })
})

it('every screen is good in every size, light and dark', async () => {
  await desk.service.request('POST', '/api/v1/trusted-issuers', {
    body: { issuer: 'did:web:university.example', note: 'Diplomas' },
  })
  const [own, ofFile] = [await make('verifier', 'Corner Shop'), await defaultOf('issuers')]
  const screens = [
    ['', 'Trust and keys'],
    ['/trusted', 'Trusted issuers'],
    ['/rotation', 'Rotate keys'],
    ['/issuers/new-issuer', 'New issuer'],
    // An issuer without a name has the host of its base URL.
    [`/issuers/${ofFile}`, new URL(HTTPS.ISSUER_BASE_URL).host],
    [`/verifiers/${own}`, 'Corner Shop'],
  ] as const
  await onEveryScreen(desk.browser, async (page, name) => {
    for (const [path, title] of screens) {
      await page.goto(`${desk.service.url}/console/trust${path}`)
      await heading(page, title)
      await settled(page)
      if (path.startsWith('/verifiers'))
        await page.getByRole('button', { name: 'Show the certificate request' }).click()
      await assertGood(page, `trust${path.replaceAll('/', '-').replace(/[0-9a-f]{8}-.*/, '')}-${name}`)
    }
  })
})

describe('by role', () => {
  let started: ConsoleService
  beforeAll(async () => {
    started = await startConsole({ env: { ISSUER_ROLE: 'issuing', VERIFIER_ROLE: 'verifying' } })
  })
  const login = driven(async () => started.service)
  afterAll(() => started?.provider.close())

  it.each([
    ['issuing', 'Issuers', 'Verifiers', 'Trust anchors of wallet providers', 'Added issuers'],
    ['verifying', 'Verifiers', 'Issuers', 'Added issuers', 'Trust anchors of wallet providers'],
  ])(
    '%s: sees its half, can change nothing, and sends no forbidden request',
    async (role, half, other, trusted, untrusted) => {
      started.provider.user = { sub: role, roles: [role] }
      await login.opened('/trust', async (page) => {
        await page.getByRole('link', { name: 'Sign in' }).click()
        await page.getByRole('table', { name: half }).waitFor()
        await settled(page)
        expect(await page.getByRole('table', { name: other }).count()).toBe(0)
        expect(await page.getByRole('link', { name: /^New (issuer|verifier)$/ }).count()).toBe(0)
        await page.getByRole('table', { name: half }).getByRole('link').first().click()
        await region(page, 'Identity').waitFor()
        await settled(page)
        expect(await page.getByRole('button', { name: 'Save name and branding' }).count()).toBe(0)
        await page.goBack()
        await page.getByRole('link', { name: 'Trusted issuers' }).click()
        await region(page, trusted).waitFor()
        await settled(page)
        expect(await region(page, untrusted).count()).toBe(0)
        expect(await page.getByRole('button', { name: 'Trust this issuer' }).count()).toBe(0)
      })
    },
  )
})
