import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { en as trustListTexts } from '../../../client/console/texts/trust-lists/en.js'
import { startRemoteVerifier } from '../../support/remote-verifier.js'
import { LOOPBACK } from '../../support/wallet.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { type ListServer, startListServer } from '../../trust/list-server.js'
import { definition, listsFile, listsOf, makeList, makeOperator, refusalOf, seconds } from '../../trust/lists.js'
import { makeLeaf, makeRoot, membership } from '../../verifier/certified.js'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen, settled, startOpenService } from './actors.js'
import { press, tabTo, typeInto } from './keyboard.js'

const { lists: words, explain: explainWords } = trustListTexts

const operator = makeOperator()
const stranger = makeOperator()
const authority = makeRoot('Authority')
const own = makeLeaf(authority, { subject: 'Own issuer', dns: ['127.0.0.1'] })
const entities = [
  { name: 'Ministry', issuance: [authority], revocation: [makeRoot('Status authority')] },
  { name: 'Agency', issuance: [makeRoot('Other')] },
]
/** More entities than one page. */
const many = [
  ...entities,
  ...Array.from({ length: 24 }, (_, at) => ({ name: `Office ${at + 1}`, issuance: [makeRoot(`Office ${at + 1}`)] })),
]

let server: ListServer
let wallet: WalletActor
const publish = async (path: string, ...made: Parameters<typeof makeList>) =>
  server.publish(path, { body: await makeList(...made) })

beforeAll(async () => {
  server = await startListServer()
  wallet = await newWallet()
})
afterAll(() => server.close())

const desk = driven(async () => {
  await publish('/configured.jwt', operator, entities)
  const issuer = await listsFile()
  writeFileSync(issuer, `${own.privateKey.export({ type: 'pkcs8', format: 'pem' })}${own.certificate.toString()}`)
  return startOpenService({
    ...LOOPBACK,
    ISSUER_X509: issuer,
    TRUSTED_ISSUERS: 'self,x5c',
    TRUST_LISTS: await listsFile(definition(`${server.url}/configured.jwt`, operator)),
  })
})

/** Adds a list over the API. Resolves with its id. */
async function added(path: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const { status, text, json } = await listsOf(desk.service).add(definition(`${server.url}${path}`, operator, more))
  expect(status, text).toBe(201)
  return json.id
}

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const rowOf = (page: Page, text: string) =>
  page.getByRole('table', { name: words.all }).getByRole('row').filter({ hasText: text })
const textbox = (page: Page, name: string) => page.getByRole('textbox', { name })
/** The error that describes a field. */
const errorOf = async (page: Page, name: string): Promise<string | null> => {
  const described = await textbox(page, name).getAttribute('aria-describedby')
  return page.locator(`[id="${described?.split(' ').at(-1)}"].wrong`).textContent()
}
const given = (page: Page) => page.getByRole('textbox', { name: explainWords.given })
/** The credential of an issuer whose authority is on no list. */
const untrusted = () => membership(makeLeaf(makeRoot('Stranger')), wallet)
/** Everything that the browser keeps about a page: its address, the state of its history, and its storages. */
const keptByBrowser = (page: Page): Promise<string> =>
  page.evaluate(
    'JSON.stringify([location.href, history.state, { ...localStorage }, { ...sessionStorage }, document.cookie])',
  )

describe('a trusted list', () => {
  it('is added with the keyboard alone; errors are shown at their fields', async () => {
    await publish('/new.jwt', operator, entities)
    await desk.opened(
      '/trust',
      async (page) => {
        await heading(page, 'Trust and keys')
        await press(page, words.all)
        await heading(page, words.all)
        await typeInto(page, words.url, 'http://10.0.0.1/list.jwt')
        await tabTo(page, words.byPem)
        await page.keyboard.press('ArrowDown')
        await typeInto(page, words.sha256, 'abc')
        await typeInto(page, words.territory, 'EUR')
        await press(page, words.add)
        const wrong = page.locator('[aria-invalid="true"]')
        await expect.poll(() => wrong.count()).toBe(2)
        // The first wrong field has the focus.
        const hasFocus = `document.activeElement === document.querySelector('[aria-invalid]')`
        await expect.poll(() => page.evaluate(hasFocus)).toBe(true)
        expect(await errorOf(page, words.sha256)).toBe('must be 64 hexadecimal digits')
        expect(await errorOf(page, words.territory)).toBe('must be a country code of two capital letters')
        await assertGood(page, 'trust-list-wrong')
        await textbox(page, words.sha256).fill(operator.certificate.fingerprint256)
        await textbox(page, words.territory).fill('')
        await press(page, words.add)
        await page.locator('.wrong').getByText('cannot be requested').waitFor()
        expect(await errorOf(page, words.url)).toContain('cannot be requested')
        await wrong.fill(`${server.url}/new.jwt`)
        await press(page, words.add)
        await heading(page, 'The operator')
        await region(page, words.state).getByText(words.states.usable, { exact: true }).waitFor()
        await region(page, words.entities).getByRole('heading', { name: 'Ministry' }).waitFor()
      },
      [400, 400],
    )
    const all = await listsOf(desk.service).all()
    expect(all.at(-1)).toMatchObject({ url: `${server.url}/new.jwt`, state: 'usable', purpose: 'credentials' })
    await listsOf(desk.service).remove(all.at(-1).id)
  })

  it('of another signer than the given certificate is refused, by a sentence', async () => {
    await publish('/stranger.jwt', stranger, entities)
    await desk.opened('/trust/lists', async (page) => {
      await heading(page, words.all)
      await page.getByLabel(words.url).fill(`${server.url}/stranger.jwt`)
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: words.pemFile }).click(),
      ])
      const buffer = operator.certificate.raw
      await chooser.setFiles({ name: 'signer.cer', mimeType: 'application/pkix-cert', buffer })
      await expect.poll(() => page.getByLabel(words.pem).inputValue()).toBe(operator.certificate.toString().trim())
      await page.getByRole('button', { name: words.add }).click()
      await heading(page, new URL(server.url).host)
      const state = region(page, words.state)
      await state.getByText(words.states.unusable, { exact: true }).waitFor()
      await state.getByText(words.checks.signer).waitFor()
      await state.getByText(words.details).click()
      await state.getByText('The list is signed by a certificate that is not pinned').waitFor()
      await region(page, words.entities).getByText(words.noEntities).waitFor()
      await assertGood(page, 'trust-list-refused')
      await page.getByRole('link', { name: words.all }).first().click()
      await rowOf(page, '/stranger.jwt').getByText(words.checks.signer).waitFor()
    })
  })

  it('in XML has a field for the types of its services, and its screen shows them (ETSI TS 119 612)', async () => {
    await publish('/services.jwt', operator, entities)
    const type = 'http://uri.etsi.org/TrstSvc/Svctype/CA/QC'
    const id = await added('/services.jwt', { profile: undefined, serviceTypes: [type] })
    await desk.opened(`/trust/lists/${id}`, async (page) => {
      await region(page, words.about).getByText(type, { exact: true }).waitFor()
    })
    await desk.opened(
      '/trust/lists',
      async (page) => {
        await heading(page, words.all)
        await page.getByLabel(words.url).fill(`${server.url}/services.jwt`)
        expect(await textbox(page, words.serviceTypes).count()).toBe(0)
        await page.getByLabel(words.kind).selectOption('tsl')
        await textbox(page, words.serviceTypes).fill('CA/QC')
        await page.getByLabel(words.pem).fill(operator.certificate.toString())
        await page.getByRole('button', { name: words.add }).click()
        await page.locator('[aria-invalid="true"]').waitFor()
        expect(await errorOf(page, words.serviceTypes)).toContain('must be a URI')
        await assertGood(page, 'trust-list-services')
      },
      [400],
    )
    await listsOf(desk.service).remove(id)
  })

  it('shows its entities page by page, finds them by name, and shows certificates on demand', async () => {
    await publish('/many.jwt', operator, many)
    const id = await added('/many.jwt', { note: 'PID of the EU' })
    await desk.opened(`/trust/lists/${id}`, async (page) => {
      await heading(page, 'The operator')
      const panel = region(page, words.entities)
      const names = panel.getByRole('heading', { level: 3 })
      await expect.poll(() => names.count()).toBe(20)
      await panel.getByRole('button', { name: 'Show more' }).click()
      await expect.poll(() => names.count()).toBe(many.length)
      const ministry = panel.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Ministry' }) })
      await ministry.getByText(words.uses.issuance, { exact: true }).waitFor()
      await ministry.getByText(words.uses.status, { exact: true }).waitFor()
      expect(await ministry.getByText(words.serviceStates.trusted, { exact: true }).count()).toBe(2)
      expect(await page.getByText('CN=Authority').count()).toBe(0)
      await ministry.getByText(words.certificates(1)).first().click()
      await ministry.getByText('CN=Authority').first().waitFor()
      expect(await ministry.locator(`[title="${authority.certificate.fingerprint256}"]`).count()).toBe(1)
      await panel.getByLabel(words.searchName).fill('office 2')
      await page.keyboard.press('Enter')
      // Office 2 and 20 to 24.
      await expect.poll(() => names.count()).toBe(6)
      expect(page.url()).toContain('name=office')
      await panel.getByLabel(words.searchName).fill('nobody')
      await page.keyboard.press('Enter')
      await panel.getByText(words.noMatch).waitFor()
    })
    await listsOf(desk.service).remove(id)
  })

  it('stays in use until its own end if its address fails, and says so', async () => {
    await publish('/failing.jwt', operator, entities, { nextUpdate: seconds(86_400 * 30) })
    const id = await added('/failing.jwt')
    await desk.opened(`/trust/lists/${id}`, async (page) => {
      await heading(page, 'The operator')
      const state = region(page, words.state)
      await page.getByRole('button', { name: words.refresh }).click()
      await state.getByText(words.outcomes.unchanged).waitFor()
      server.withdraw('/failing.jwt')
      await page.getByRole('button', { name: words.refresh }).click()
      await state.getByText(/^in use until \d+ \w+ \d{4}$/).waitFor()
      await state.getByText(words.checks.unreachable).waitFor()
      await assertGood(page, 'trust-list-failing')
    })
    await listsOf(desk.service).remove(id)
  })

  it('that fails, and that recovers, changes on the screen', async () => {
    await publish('/live.jwt', operator, entities, { nextUpdate: seconds(86_400 * 30) })
    const id = await added('/live.jwt')
    await desk.opened('/trust/lists', async (page) => {
      const row = rowOf(page, '/live.jwt')
      await row.getByText(words.states.usable, { exact: true }).waitFor()
      server.withdraw('/live.jwt')
      await listsOf(desk.service).refresh(id)
      await row.getByText(/^in use until /).waitFor()
      await publish('/live.jwt', operator, entities, { nextUpdate: seconds(86_400 * 30) })
      await listsOf(desk.service).refresh(id)
      await row.getByText(words.states.usable, { exact: true }).waitFor()
    })
    await listsOf(desk.service).remove(id)
  })

  it('that leaves out the certificate of an own issuer raises an alert, on the list and in the checklist', async () => {
    await publish('/own.jwt', operator, entities)
    const id = await added('/own.jwt')
    await publish('/own.jwt', operator, entities.slice(1), { sequence: 2 })
    await desk.opened('/', async (page) => {
      expect((await listsOf(desk.service).refresh(id)).json.outcome).toBe('changed')
      await page.reload()
      await page
        .getByText(/checks? of the setup|checks? needs? attention|checks need attention/)
        .first()
        .click()
      const item = page.getByRole('main').getByRole('link', { name: words.all })
      await item.click()
      await heading(page, words.all)
      await rowOf(page, '/own.jwt').getByText(words.alertTag).waitFor()
      await rowOf(page, '/own.jwt').getByRole('link').click()
      await page.getByRole('alert').getByText(words.alert).waitFor()
      await page.getByRole('alert').getByText('no longer has the certificate of issuer').waitFor()
      await assertGood(page, 'trust-list-alert')
    })
    await listsOf(desk.service).remove(id)
  })

  it('is removed after a question that says what will stop being trusted', async () => {
    await publish('/gone.jwt', operator, entities)
    const id = await added('/gone.jwt')
    const credential = await membership(makeLeaf(authority), wallet)
    await desk.opened(`/trust/lists/${id}`, async (page) => {
      await heading(page, 'The operator')
      await press(page, words.remove)
      const dialog = page.getByRole('dialog', { name: words.removeTitle('The operator') })
      await dialog.getByText(words.removeText.credentials(2)).waitFor()
      await assertGood(page, 'trust-list-remove')
      await dialog.getByRole('button', { name: words.remove }).click()
      await heading(page, words.all)
      await expect.poll(() => rowOf(page, '/gone.jwt').count()).toBe(0)
    })
    expect((await listsOf(desk.service).read(id)).status).toBe(404)
    // The list of the configuration still vouches for the same authority.
    expect(await refusalOf(desk.service, wallet, credential)).toBeUndefined()
  })

  it('of the configuration cannot be removed here, and the screen says so', async () => {
    await desk.opened('/trust/lists', async (page) => {
      await rowOf(page, '/configured.jwt').getByText(words.sources.configuration).waitFor()
      await rowOf(page, '/configured.jwt').getByRole('link').click()
      await page.getByText(words.configured).waitFor()
      expect(await page.getByRole('button', { name: words.remove }).count()).toBe(0)
      expect(await page.getByRole('button', { name: words.refresh }).count()).toBe(1)
    })
  })

  it('that a colleague adds, changes or removes, changes on the screen', async () => {
    await publish('/colleague.jwt', operator, entities)
    await desk.opened(
      '/trust/lists',
      async (page) => {
        await rowOf(page, '/configured.jwt').waitFor()
        const id = await added('/colleague.jwt')
        await rowOf(page, '/colleague.jwt').waitFor()
        await rowOf(page, '/colleague.jwt').getByRole('link').click()
        const names = region(page, words.entities).getByRole('heading', { level: 3 })
        await expect.poll(() => names.allTextContents()).toEqual(['Ministry', 'Agency'])
        await publish('/colleague.jwt', operator, entities.slice(1), { sequence: 2 })
        await listsOf(desk.service).refresh(id)
        await expect.poll(() => names.allTextContents()).toEqual(['Agency'])
        await page.getByRole('button', { name: words.remove }).click()
        await listsOf(desk.service).remove(id)
        await page.getByRole('dialog').getByText('Another user has already done this.').waitFor()
      },
      [404],
    )
  })
})

describe('why an issuer is not trusted', () => {
  it('is explained for a pasted credential, with the keyboard alone', async () => {
    const credential = await untrusted()
    await desk.opened('/trust', async (page) => {
      await heading(page, 'Trust and keys')
      await press(page, 'Why not trusted')
      await heading(page, 'Why not trusted')
      await tabTo(page, explainWords.given)
      await page.keyboard.insertText(`${credential.slice(0, 60)}\n${credential.slice(60)}\n`)
      await press(page, explainWords.explain)
      const result = region(page, explainWords.result)
      await result.getByText(explainWords.notTrusted).waitFor()
      await result.getByText(explainWords.endsBelow('Club', 'Stranger')).waitFor()
      await result.getByText('https://club.example/membership').waitFor()
      const places = result.getByRole('list', { name: explainWords.places }).getByRole('listitem')
      const said = await places.allTextContents()
      expect(said[0]).toContain('TRUST_ANCHORS')
      expect(said.some((text) => text.includes(`${server.url}/configured.jwt`) && text.includes('not trusted'))).toBe(
        true,
      )
      await result.getByText('Add a trusted list that has the issuer of the last certificate').waitFor()
      await assertGood(page, 'explain-untrusted')
    })
  })

  it('is explained for certificates of a file, and the trusted list leads to its screen', async () => {
    const chain = makeLeaf(authority).certificate.raw
    await desk.opened(
      '/trust/explain',
      async (page) => {
        await heading(page, 'Why not trusted')
        const file = page.locator('input[type="file"]')
        await file.setInputFiles({ name: 'chain.cer', mimeType: 'application/pkix-cert', buffer: chain })
        const result = region(page, explainWords.result)
        await result.getByText(explainWords.trusted).waitFor()
        await result.getByText(`${explainWords.entity}: Ministry`).first().waitFor()
        await page.getByLabel(explainWords.purpose).selectOption('wallets')
        await page.getByRole('button', { name: explainWords.explain, exact: true }).click()
        await result.getByText(explainWords.notTrusted).waitFor()
        await given(page).fill('nonsense')
        await page.getByRole('button', { name: explainWords.explain, exact: true }).click()
        await page.locator('.wrong').getByText('cannot be read').waitFor()
        await file.setInputFiles({ name: 'chain.cer', mimeType: 'application/pkix-cert', buffer: chain })
        await page.getByLabel(explainWords.purpose).selectOption('credentials')
        await page.getByRole('button', { name: explainWords.explain, exact: true }).click()
        await result.getByRole('link', { name: `${server.url}/configured.jwt` }).click()
        await page.getByText(words.configured).waitFor()
      },
      [400],
    )
  })

  it('is one link away from a checked credential, which stays out of the address and the storage of the browser', async () => {
    const credential = await untrusted()
    await desk.opened('/verify', async (page) => {
      await page.getByLabel('Credential', { exact: true }).fill(credential)
      await page.getByRole('button', { name: 'Check', exact: true }).click()
      await page.getByRole('link', { name: 'Why is the issuer trusted, or not?' }).click()
      await heading(page, 'Why not trusted')
      await region(page, explainWords.result).getByText(explainWords.notTrusted).waitFor()
      expect(await given(page).inputValue()).toBe(credential)
      const [header = ''] = credential.split('.')
      expect(await keptByBrowser(page)).not.toContain(header)
      // The credential was handed over once. The screen is empty when it is opened again.
      await page.getByRole('link', { name: words.all, exact: true }).click()
      await heading(page, words.all)
      await page.getByRole('link', { name: 'Why not trusted' }).click()
      await page.getByText(explainWords.waiting).waitFor()
      expect(await given(page).inputValue()).toBe('')
    })
  })

  it('is one link away from a request that failed because of its issuer, with the certificates of the issuer', async () => {
    const leaf = makeLeaf(makeRoot('Stranger'))
    expect(await refusalOf(desk.service, wallet, await membership(leaf, wallet))).toContain('Issuer')
    const { json } = await desk.service.request('GET', '/api/v1/verification-sessions?limit=1')
    await desk.opened(`/requests/${json.items[0].id}`, async (page) => {
      await page.getByRole('link', { name: 'Why is the issuer trusted, or not?' }).click()
      await heading(page, 'Why not trusted')
      const result = region(page, explainWords.result)
      await result.getByText(explainWords.notTrusted).waitFor()
      await result.getByText(explainWords.endsBelow('Club', 'Stranger')).waitFor()
      await result.getByText('https://club.example/membership').waitFor()
      expect(await given(page).inputValue()).toBe(leaf.certificate.toString().trim())
      expect(await page.getByLabel(explainWords.type).inputValue()).toBe('https://club.example/membership')
      expect(await keptByBrowser(page)).not.toContain(leaf.x5c.slice(0, 60))
      await assertGood(page, 'explain-refused-issuer')
    })
  })

  it('is one link away from a request that a hosted wallet refuses, with the certificate of the verifier', async () => {
    await using remote = await startRemoteVerifier()
    const leaf = makeLeaf(makeRoot('Unknown access CA'), { subject: 'Shop' })
    const link = await remote.request(
      { credentials: [{ id: 'club', format: 'dc+sd-jwt', meta: { vct_values: ['https://club.example/membership'] } }] },
      {
        prefix: 'x509_hash',
        header: { x5c: [leaf.x5c] },
        signer: { ...remote.key, privateJwk: leaf.privateKey.export({ format: 'jwk' }) },
        payload: { client_id: `x509_hash:${hash('sha256', leaf.certificate.raw, 'base64url')}` },
      },
    )
    const { json } = await desk.service.request('POST', '/agent/holder', { body: { method: 'key' } })
    await desk.opened(
      `/wallets/${json.id}`,
      async (page) => {
        await page.getByLabel('Link of the offer or request').fill(link)
        await page.getByRole('button', { name: 'Send to the wallet' }).click()
        await page.getByRole('link', { name: 'Why is the verifier trusted, or not?' }).click()
        // The form of the wallet keeps the link of the request.
        await page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click()
        await heading(page, 'Why not trusted')
        const result = region(page, explainWords.result)
        await result.getByText(explainWords.notTrusted).waitFor()
        await result.getByText(explainWords.endsBelow('Shop', 'Unknown access CA')).waitFor()
        expect(await page.getByLabel(explainWords.purpose).inputValue()).toBe('verifiers')
        expect(await keptByBrowser(page)).not.toContain(leaf.x5c.slice(0, 60))
      },
      [500],
    )
  })
})

it('the screens are good on a phone and on a desktop, in light and in dark', async () => {
  await publish('/shown.jwt', operator, many.slice(0, 6))
  const id = await added('/shown.jwt', {
    note: 'PID of the EU',
    types: ['https://club.example/membership', 'urn:eudi:pid:1', 'org.iso.18013.5.1.mDL'],
    maxAgeHours: 48,
  })
  await publish('/unreachable.jwt', operator, entities, { nextUpdate: seconds(86_400 * 30) })
  const failing = await added('/unreachable.jwt')
  server.withdraw('/unreachable.jwt')
  await listsOf(desk.service).refresh(failing)
  const credential = await untrusted()
  await onEveryScreen(desk.browser, async (page, name) => {
    const open = async (path: string) => {
      await page.goto(`${desk.service.url}/console${path}`)
      await settled(page)
    }
    await open('/trust/lists')
    await rowOf(page, '/shown.jwt').waitFor()
    await rowOf(page, '/unreachable.jwt')
      .getByText(/^in use until /)
      .waitFor()
    await assertGood(page, `trust-lists-${name}`)
    await open(`/trust/lists/${id}`)
    await page.getByText(words.certificates(1)).first().click()
    await page.getByText('CN=Authority').first().waitFor()
    await assertGood(page, `trust-list-${name}`)
    await open('/trust/explain')
    await given(page).fill(credential)
    await page.getByRole('button', { name: explainWords.explain, exact: true }).click()
    await page.getByText(explainWords.notTrusted).waitFor()
    await assertGood(page, `explain-${name}`)
  })
  for (const each of [id, failing]) await listsOf(desk.service).remove(each)
})
