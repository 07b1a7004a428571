import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { en as texts } from '../../../client/console/texts/registrations/en.js'
import { registrationMembers, signRegistration, signStatusList } from '../../../scripts/trust-demo/registration.js'
import { makeRegistrar, SHOP, UNIVERSITY } from '../../../scripts/trust-demo/world.js'
import { runTask } from '../../support/maintenance.js'
import { startService, type TestService } from '../../support/service.js'
import { type PublishedWorld, readLists, startInWorld } from '../../support/trust-world.js'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen } from './actors.js'

const { certificates: words, request: requestWords, wallet: walletWords, offer: offerWords } = texts
const TYPE = 'ProofOfPurchase-sd-jwt'
const demonstration = JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8'))
/** The job reads the status of a certificate once an hour. */
const TWO_HOURS_MS = 7_200_000

/** The job reads the status lists of the certificates that are due. */
async function readStatuses({ features }: TestService, now: Date): Promise<void> {
  for (const task of features.registrationWatch.tasks) await runTask(task, now)
}

let world: PublishedWorld
const desk = driven(async () => {
  const started = await startInWorld(() => ({ AUTH_DISABLED: 'true', OIDC_JWKS_URL: '' }))
  world = started.world
  await readStatuses(started.service, new Date())
  return started.service
})
afterAll(() => world[Symbol.asyncDispose]())

/** A registration certificate of the shop. @param index its entry in the status list */
const certificate = (index: number, members: Readonly<Record<string, unknown>> = {}): Promise<string> =>
  signRegistration({ ...registrationMembers(SHOP, world.registrar, index), ...members }, world.registrar)

/** The default verifier has the certificates of the shop. */
const verifierId = async (): Promise<string> => {
  const { json } = await desk.service.request('GET', '/api/v1/verifiers')
  return json.items.find(({ isDefault }: { isDefault: boolean }) => isDefault).id
}
const certificatesAt = async (): Promise<string> => `/api/v1/verifiers/${await verifierId()}/registration-certificates`

/** Adds a certificate over the API. Resolves with its id. */
async function added(index: number, members: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const body = { certificate: await certificate(index, members) }
  const { status, text, json } = await desk.service.request('POST', await certificatesAt(), { body })
  expect(status, text).toBe(201)
  return json.id
}
const removed = async (id: string): Promise<void> => {
  expect((await desk.service.request('DELETE', `${await certificatesAt()}/${id}`)).status).toBe(204)
}

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const panelOf = (page: Page) => region(page, words.title)
const cardOf = (page: Page, name: string) =>
  panelOf(page)
    .getByRole('listitem')
    .filter({ has: page.getByText(name, { exact: true }) })
    .first()
const purpose = (value: string) => [{ lang: 'en', value }]
const fieldError = (page: Page) => panelOf(page).locator('.wrong')

describe('the registration certificates of a verifier (ETSI TS 119 475)', () => {
  it('are shown in words: purpose, party, what they cover, end and state', async () => {
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console/trust/verifiers/${await verifierId()}`)
      const card = cardOf(page, 'To check the age of a customer.')
      await card.getByText(words.states.usable, { exact: true }).waitFor()
      await card.getByText(SHOP.legalName, { exact: true }).waitFor()
      await card.getByText(SHOP.identifier, { exact: true }).waitFor()
      await card.getByText('urn:eudi:pid:1 (SD-JWT VC)').waitFor()
      await card.getByText('given_name, family_name, birthdate', { exact: true }).waitFor()
      // The namespace of a mobile document is no part of a claim's name.
      await card.getByText('given_name, family_name, birth_date', { exact: true }).waitFor()
      await card.getByText('https://registrar.example').waitFor()
      // A certificate of the file is removed from the file.
      await card.getByText(words.fromFile).waitFor()
      expect(await card.getByRole('button', { name: words.remove }).count()).toBe(0)
      await assertGood(page, `registrations-${name}`)
    })
  })

  it('are added as text or from a file, with errors at the field, and removed after a question', async () => {
    await desk.opened(
      `/trust/verifiers/${await verifierId()}`,
      async (page) => {
        await panelOf(page).getByText(words.add).click()
        const field = panelOf(page).getByRole('textbox', { name: words.text })
        const add = panelOf(page).getByRole('button', { name: words.addIt })
        await add.click()
        await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
        // The signature is of another registrar.
        const [header, , signature] = (await certificate(5)).split('.')
        const payload = Buffer.from(JSON.stringify({ sub: SHOP.identifier })).toString('base64url')
        await field.fill(`${header}.${payload}.${signature}`)
        await add.click()
        await fieldError(page).getByText('is refused: ').waitFor()
        await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('TEXTAREA')
        await assertGood(page, 'registration-refused')
        await field.fill(world.verifierRegistration)
        await add.click()
        await fieldError(page).getByText('has this registration certificate already').waitFor()
        const [chooser] = await Promise.all([
          page.waitForEvent('filechooser'),
          panelOf(page).getByRole('button', { name: words.file }).click(),
        ])
        const buffer = Buffer.from(
          await certificate(5, { intended_use_id: 'delivery', purpose: purpose('To deliver a parcel.') }),
        )
        await chooser.setFiles({ name: 'delivery.jwt', mimeType: 'application/jwt', buffer })
        await expect.poll(() => field.inputValue()).toBe(buffer.toString())
        await add.click()
        const card = cardOf(page, 'To deliver a parcel.')
        await card.getByText(words.states.usable, { exact: true }).waitFor()
        await panelOf(page).getByText(words.added).waitFor()
        await card.getByRole('button', { name: words.remove }).click()
        const dialog = page.getByRole('dialog', { name: words.removeTitle('To deliver a parcel.') })
        await dialog.getByText(words.removeText).waitFor()
        await assertGood(page, 'registration-remove')
        await dialog.getByRole('button', { name: words.remove }).click()
        await expect.poll(() => card.count()).toBe(0)
      },
      [400, 409],
    )
    const { json } = await desk.service.request('GET', await certificatesAt())
    expect(json.items.map(({ fromFile }: { fromFile: boolean }) => fromFile)).toEqual([true])
  })

  it('that a colleague adds or removes appear and disappear on the screen', async () => {
    await desk.opened(`/trust/verifiers/${await verifierId()}`, async (page) => {
      await cardOf(page, 'To check the age of a customer.').waitFor()
      const id = await added(6, { intended_use_id: 'colleague', purpose: purpose('To help a colleague.') })
      const card = cardOf(page, 'To help a colleague.')
      await card.waitFor()
      await card.getByRole('button', { name: words.remove }).click()
      await removed(id)
      await page.getByRole('dialog').getByText('Another user has already done this.').waitFor()
    })
  })

  it('that are revoked say so in a sentence, with the message of the service', async () => {
    const id = await added(7, { intended_use_id: 'trial', purpose: purpose('To revoke it.') })
    await world.publish('status/registrations.jwt', await signStatusList(world.registrar, [7]))
    await readStatuses(desk.service, new Date(Date.now() + TWO_HOURS_MS))
    await desk.opened(`/trust/verifiers/${await verifierId()}`, async (page) => {
      const card = cardOf(page, 'To revoke it.')
      await card.getByText(words.states.revoked, { exact: true }).waitFor()
      await card.getByText(words.faults.revoked).waitFor()
      await card.getByText(words.message).click()
      await card.getByText('The registration certificate is revoked.').waitFor()
      await assertGood(page, 'registration-revoked')
    })
    await removed(id)
    await world.publish('status/registrations.jwt', await signStatusList(world.registrar))
  })
})

/** The credentials of a certificate for claims of the demonstration type. */
async function covering(...claims: readonly string[]) {
  await desk.service.request('POST', '/schemas', { body: demonstration })
  const { json } = await desk.service.request('GET', '/.well-known/openid-credential-issuer')
  const meta = { vct_values: [json.credential_configurations_supported[TYPE].vct] }
  return [{ format: 'dc+sd-jwt', meta, claim: claims.map((name) => ({ path: [name] })) }]
}

describe('the intended use of a new request', () => {
  const asked = async (page: Page, ...claims: readonly string[]) => {
    await heading(page, 'New request')
    for (const claim of claims) await page.getByLabel(claim, { exact: true }).check()
    await page.getByRole('button', { name: 'Create request' }).click()
  }
  const use = (page: Page) => page.getByLabel(requestWords.intendedUse, { exact: true })

  it('is no choice with one certificate; a request beyond it is refused at the credential', async () => {
    await covering()
    await desk.opened(
      '/requests/new-request',
      async (page) => {
        await asked(page, 'productName')
        await page.locator('.wrong').getByText('asks for a type that the certificate does not have').waitFor()
        await expect.poll(() => page.getByLabel('Type', { exact: true }).getAttribute('aria-invalid')).toBe('true')
        expect(await use(page).count()).toBe(0)
        await assertGood(page, 'request-beyond')
      },
      [400],
    )
  })

  it('is chosen if several certificates fit; missing and revoked uses are sentences at the field', async () => {
    const ids = [
      await added(8, {
        intended_use_id: 'receipts',
        purpose: purpose('To find your receipt.'),
        credentials: await covering('productName'),
      }),
      await added(9, {
        intended_use_id: 'returns',
        purpose: purpose('To take goods back.'),
        credentials: await covering('productName', 'merchant'),
      }),
    ]
    await desk.opened(
      '/requests/new-request',
      async (page) => {
        await use(page).waitFor()
        await asked(page, 'productName')
        await page.locator('.wrong').getByText('must be given, because several registration certificates fit').waitFor()
        await expect.poll(() => use(page).getAttribute('aria-invalid')).toBe('true')
        await assertGood(page, 'request-use-missing')
        await world.publish('status/registrations.jwt', await signStatusList(world.registrar, [9]))
        await readStatuses(desk.service, new Date(Date.now() + TWO_HOURS_MS))
        await use(page).selectOption({ value: 'returns' })
        await page.getByRole('button', { name: 'Create request' }).click()
        await page.locator('.wrong').getByText('The registration certificate is revoked.').waitFor()
        await use(page).selectOption({ value: 'receipts' })
        await page.getByRole('button', { name: 'Create request' }).click()
        // Without a purpose in the form, the request has the purpose of its certificate.
        await page.getByText('To find your receipt.').waitFor()
      },
      [400, 409],
    )
    for (const id of ids) await removed(id)
    await world.publish('status/registrations.jwt', await signStatusList(world.registrar))
  })
})

/** A registration certificate of the university, which issues credentials of the demonstration type. */
const universityCertificate = (index: number): Promise<string> => {
  const issues = [{ format: 'dc+sd-jwt', meta: { vct_values: [`${desk.service.url}/vct/ProofOfPurchase`] } }]
  const members = registrationMembers({ ...UNIVERSITY, issues }, world.registrar, index)
  return signRegistration(members, world.registrar)
}

const defaultIssuerId = async (): Promise<string> => {
  const { json } = await desk.service.request('GET', '/api/v1/issuers')
  return json.items.find(({ isDefault }: { isDefault: boolean }) => isDefault).id
}

describe('the registration certificates of an issuer (ETSI TS 119 472-3 §4.2.3)', () => {
  it('are shown in words, on a phone and on a desktop', async () => {
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console/trust/issuers/${await defaultIssuerId()}`)
      const card = cardOf(page, UNIVERSITY.legalName)
      await card.getByText(words.states.usable, { exact: true }).waitFor()
      await card.getByText(UNIVERSITY.identifier, { exact: true }).waitFor()
      await card.getByText(words.issuer.covers).waitFor()
      await card.getByText('urn:eudi:pid:1 (SD-JWT VC)').waitFor()
      await card.getByText(words.issuer.fromFile).waitFor()
      expect(await card.getByRole('button', { name: words.remove }).count()).toBe(0)
      await assertGood(page, `issuer-registrations-${name}`)
    })
  })

  it('are added, with errors at the field, and removed after a question', async () => {
    await desk.opened(
      `/trust/issuers/${await defaultIssuerId()}`,
      async (page) => {
        await panelOf(page).getByText(words.add).click()
        const field = panelOf(page).getByRole('textbox', { name: words.text })
        const add = panelOf(page).getByRole('button', { name: words.addIt })
        // The certificate of the shop is for another party.
        await field.fill(world.verifierRegistration)
        await add.click()
        await fieldError(page).getByText(`is registered for ${SHOP.identifier}`).waitFor()
        await assertGood(page, 'issuer-registration-refused')
        await field.fill(await universityCertificate(30))
        await add.click()
        await panelOf(page).getByText(words.added).waitFor()
        const remove = panelOf(page).getByRole('button', { name: words.remove })
        await remove.click()
        const dialog = page.getByRole('dialog')
        await dialog.getByText(words.issuer.removeText).waitFor()
        await dialog.getByRole('button', { name: words.remove }).click()
        await expect.poll(() => remove.count()).toBe(0)
      },
      [400],
    )
  })
})

describe('the registration of an issuer, before a hosted wallet takes an offer', () => {
  async function newWalletId(): Promise<string> {
    return (await desk.service.request('POST', '/agent/holder', { body: { method: 'key' } })).json.id
  }
  async function offer(): Promise<string> {
    await covering()
    const { status, text, json } = await desk.service.request('POST', '/credential-offers', {
      body: {
        credentialConfigurationIds: [TYPE],
        credentialSubject: { productName: 'Espresso machine', merchant: 'Corner Shop', purchaseDate: '2026-03-01' },
      },
    })
    expect(status, text).toBe(201)
    return json.credentialOfferUri
  }
  const given = async (page: Page, link: string) => {
    await page.getByLabel('Link of the offer or request').fill(link)
    await page.getByRole('button', { name: 'Send to the wallet' }).click()
  }

  it('attack: an offer beyond it is shown with each part beyond it, and the holder declines', async () => {
    const id = await newWalletId()
    const link = await offer()
    await desk.opened(`/wallets/${id}`, async (page) => {
      await given(page, link)
      const dialog = page.getByRole('dialog', { name: offerWords.title })
      await dialog.getByText(offerWords.states.beyond, { exact: true }).waitFor()
      await dialog.getByText(`credential ${TYPE} is of a type that the certificate does not have`).waitFor()
      await dialog.getByText(UNIVERSITY.legalName, { exact: true }).waitFor()
      await dialog.getByText('Demo registrar').waitFor()
      await dialog.getByText(walletWords.entitlements.Non_Q_EAA_Provider).waitFor()
      await dialog.getByText(UNIVERSITY.service).waitFor()
      await dialog.getByText('urn:eudi:pid:1 (SD-JWT VC)').waitFor()
      await assertGood(page, 'wallet-offer-beyond')
      await dialog.getByRole('button', { name: 'Decline' }).click()
      await page.getByText(offerWords.declined).waitFor()
    })
    const held = await desk.service.request('GET', `/holders/${id}/credentials`)
    expect(held.json).toEqual([])
  })

  it('is shown with everything that it covers, and the person takes the offer', async () => {
    const added = await desk.service.request(
      'POST',
      `/api/v1/issuers/${await defaultIssuerId()}/registration-certificates`,
      { body: { certificate: await universityCertificate(31) } },
    )
    expect(added.status, added.text).toBe(201)
    const id = await newWalletId()
    const link = await offer()
    await desk.opened(`/wallets/${id}`, async (page) => {
      await given(page, link)
      const dialog = page.getByRole('dialog', { name: offerWords.title })
      await dialog.getByText(offerWords.states.registered, { exact: true }).waitFor()
      await dialog.getByText(offerWords.sentences.registered).waitFor()
      await assertGood(page, 'wallet-offer-registered')
      await dialog.getByRole('button', { name: offerWords.take }).click()
      await expect
        .poll(async () => (await desk.service.request('GET', `/holders/${id}/credentials`)).json.length)
        .toBe(1)
    })
  })
})

describe('the registration of a verifier, before a hosted wallet presents anything', () => {
  /**
   * The verifier of another installation. It has the access certificate of the shop and no registration certificate. So
   * its requests may carry any registration certificate.
   */
  let other: TestService
  beforeAll(async () => {
    const shared = ['TRUST_LISTS', 'TRUSTED_ISSUERS', 'VERIFIER_X509', 'OUTBOUND_ALLOWED_HOSTS', 'ALLOW_INSECURE_HTTP']
    const env = Object.fromEntries(Object.entries(world.env).filter(([variable]) => shared.includes(variable)))
    other = await startService({ maintenance: false, env: { ...env, AUTH_DISABLED: 'true', OIDC_JWKS_URL: '' } })
    await readLists(other)
  })
  afterAll(() => other.close())

  /** A hosted wallet with a credential of the demonstration type. */
  async function walletWithReceipt(): Promise<string> {
    await covering()
    const post = async (path: string, body: unknown) => {
      const { status, text, json } = await desk.service.request('POST', path, { body })
      expect(status, text).toBeLessThan(300)
      return json
    }
    const { id, did } = await post('/agent/holder', { method: 'key' })
    const { credentialOfferUri: qrContent } = await post('/credential-offers', {
      credentialConfigurationIds: [TYPE],
      credentialSubject: { productName: 'Espresso machine', merchant: 'Corner Shop', purchaseDate: '2026-03-01' },
    })
    const { data } = await post('/flows', { qrContent, did })
    await post(`/flows/${data.processId}/confirm`, { type: 'claim', selectedCredential: {} })
    return id
  }

  /** A request for claims of the demonstration type. */
  async function request(claims: readonly string[], more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const [{ format, meta, claim } = { format: '', meta: {}, claim: [] }] = await covering(...claims)
    const { status, text, json } = await other.request('POST', '/authorization-requests', {
      body: { dcqlQuery: { credentials: [{ id: 'receipt', format, meta, claims: claim }] }, ...more },
    })
    expect(status, text).toBe(201)
    return json.authorizationRequestUri
  }
  const given = async (page: Page, link: string) => {
    await page.getByLabel('Link of the offer or request').fill(link)
    await page.getByRole('button', { name: 'Send to the wallet' }).click()
  }
  const info = (data: string) => ({ verifierInfo: [{ format: 'registration_cert', data }] })
  const receipts = async () =>
    certificate(10, { purpose: purpose('To find your receipt.'), credentials: await covering('productName') })

  it('is shown with the purpose and with everything that it covers', async () => {
    const link = await request(['productName'], info(await receipts()))
    await desk.opened(`/wallets/${await walletWithReceipt()}`, async (page) => {
      await given(page, link)
      const dialog = page.getByRole('dialog', { name: walletWords.title })
      await dialog.getByText(walletWords.states.registered, { exact: true }).waitFor()
      await dialog.getByText(walletWords.sentences.registered).waitFor()
      await dialog.getByText(walletWords.asks(SHOP.legalName)).waitFor()
      await dialog.getByText(SHOP.legalName, { exact: true }).waitFor()
      await dialog.getByText('To find your receipt.').waitFor()
      // The request asks for the claim, and the certificate covers the claim.
      expect(await dialog.getByText('productName', { exact: true }).count()).toBe(2)
      await assertGood(page, 'wallet-registered')
      await dialog.getByRole('button', { name: walletWords.answer }).click()
      await page.getByText('The wallet has presented the requested claims.').waitFor()
    })
  })

  it('attack: asks for more. Each part beyond it is shown, and the holder declines', async () => {
    const link = await request(['productName', 'merchant'], info(await receipts()))
    await desk.opened(`/wallets/${await walletWithReceipt()}`, async (page) => {
      await given(page, link)
      const dialog = page.getByRole('dialog', { name: walletWords.title })
      await dialog.getByText(walletWords.sentences.beyond).waitFor()
      await dialog.getByText('asks for the claim merchant, which the certificate does not have').waitFor()
      await assertGood(page, 'wallet-beyond')
      await dialog.getByRole('button', { name: 'Decline' }).click()
      await page.getByText('The request is declined. The verifier is informed.').waitFor()
    })
  })

  it('attack: of an unknown registrar is refused by a sentence, and no party is named', async () => {
    const stranger = await makeRegistrar(world.registrar.statusUri)
    const data = await signRegistration(registrationMembers(SHOP, stranger, 11), stranger)
    const link = await request(['productName'], info(data))
    await desk.opened(`/wallets/${await walletWithReceipt()}`, async (page) => {
      await given(page, link)
      const dialog = page.getByRole('dialog', { name: walletWords.title })
      await dialog.getByText(walletWords.sentences.invalid).waitFor()
      expect(await dialog.getByText(SHOP.legalName, { exact: true }).count()).toBe(0)
      await assertGood(page, 'wallet-invalid')
    })
  })

  it('may be missing: the law leaves it optional', async () => {
    const link = await request(['productName'], {
      clientIdPrefix: 'decentralized_identifier',
      transactionData: [{ type: 'payment', credential_ids: ['receipt'], amount: '12.50 EUR' }],
    })
    await desk.opened(`/wallets/${await walletWithReceipt()}`, async (page) => {
      await given(page, link)
      const dialog = page.getByRole('dialog', { name: 'Authorize this transaction?' })
      await dialog.getByText(walletWords.sentences.none).waitFor()
      await assertGood(page, 'wallet-unregistered')
    })
  })
})
