import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { newPkce } from '../../issuer/openid4vci/browser.js'
import { assertGood } from '../actors.js'
import { inTime } from '../in-time.js'
import { driven, heading, scanned, startOpenService } from './actors.js'
import { certifiedDesk } from './certified.js'

const TYPE = 'Licence'
const NAMESPACE = 'org.example.licence.1'
const licence = {
  name: TYPE,
  version: 1,
  schema: {
    type: 'object',
    properties: { family: { type: 'string' }, born: { type: 'string', format: 'date' } },
    required: ['family'],
  },
  mdoc: { doctype: NAMESPACE, namespaces: { [NAMESPACE]: { family: '/family', born: '/born' } } },
}

/** The formats, by their names on the screens. */
const FORMATS = [
  ['SD-JWT VC', 'SD-JWT VC: the holder may show single claims'],
  ['W3C credential as a JWT', 'W3C credential as a JWT: the holder always shows all claims'],
  ['Mobile document (mdoc)', 'Mobile document (mdoc)'],
] as const
const CHECKS = [
  'Format',
  'Trusted issuer',
  'Issuer key',
  'Signature',
  'Validity period',
  'Not revoked',
  'Holder binding',
  'Query',
]

const desk = certifiedDesk()
beforeAll(async () => {
  const { status, text } = await desk.service.request('POST', '/schemas', { body: licence })
  expect(status, text).toBe(201)
})

const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()

/** Makes an offer of a licence on its screen. */
async function offered(page: Page, format: string, family: string, choose = async () => {}): Promise<void> {
  await page.goto(`${desk.service.url}/console/offers?type=${TYPE}`)
  await page.getByLabel('family').fill(family)
  await page.getByLabel('born').fill('1990-12-24')
  await page.getByLabel('Format').selectOption(format)
  await choose()
  await click(page, 'Create offer')
  await heading(page, TYPE)
}

/** Lets a hosted wallet take the offer. */
async function taken(page: Page, format: string, family: string): Promise<void> {
  await offered(page, format, family)
  await click(page, 'Take with a hosted wallet')
  await page.getByText('The wallet has taken the credential.').waitFor()
  await page.getByText('The wallet has accepted the credential.').waitFor()
}

/** Returns the part of the form for a requested credential, by the position of the credential. */
const credential = (page: Page, at: number) =>
  page.getByRole('region', { name: new RegExp(`^(Requested credential|Credential ${at + 1})$`) })

async function chosen(page: Page, at: number, format: string, ...claims: readonly string[]): Promise<void> {
  await credential(page, at).getByLabel('Type', { exact: true }).selectOption(`${TYPE} (${format})`)
  for (const claim of claims) await credential(page, at).getByLabel(claim, { exact: true }).check()
}

const proven = (page: Page) => page.getByText('Verified: all requested claims.').waitFor()
const card = (page: Page) => page.getByRole('region', { name: 'Verified claims' })

describe.each(FORMATS)('a credential as %s', (format, offeredAs) => {
  it('is offered, taken by a hosted wallet, requested, presented, and shown with each passed check', async () => {
    await desk.opened('/', async (page) => {
      await taken(page, offeredAs, `Ada of ${format}`)
      await page.goto(`${desk.service.url}/console/requests/new-request`)
      await chosen(page, 0, format, 'family')
      await click(page, 'Create request')
      await heading(page, /^family · /)
      await click(page, 'Answer with a hosted wallet')
      await proven(page)
      await page.getByText(/^All \d+ checks passed$/).click()
      for (const check of CHECKS)
        await page.getByRole('listitem').filter({ hasText: check }).filter({ hasText: 'passed' }).first().waitFor()
      await card(page).getByText(`Ada of ${format}`).waitFor()
      await assertGood(page, `format-${format}`)
    })
  })
})

describe('requests for several credentials, or with a transaction', () => {
  it('several formats at once, one of them optional: each credential is a card, and its checks name it', async () => {
    await desk.opened('/requests/new-request', async (page) => {
      await chosen(page, 0, 'SD-JWT VC', 'family')
      for (const [at, [format]] of FORMATS.slice(1).entries()) {
        await click(page, 'Request another credential')
        await chosen(page, at + 1, format, 'born')
      }
      await click(page, 'Request another credential')
      await credential(page, 3).getByLabel('Type', { exact: true }).selectOption('Another type …')
      await credential(page, 3).getByLabel('Type of the credential (vct)').fill('urn:example:held:by:nobody')
      await credential(page, 3).getByLabel('Required or optional').selectOption('Optional')
      await click(page, 'Create request')
      await click(page, 'Answer with a hosted wallet')
      await proven(page)
      for (const [format] of FORMATS) await card(page).getByText(`${format} · answers`).waitFor()
      await page.getByText(/^All \d+ checks passed$/).click()
      await page.getByRole('listitem').filter({ hasText: 'Signature' }).nth(2).waitFor()
      await assertGood(page, 'format-several')
    })
  })

  it('one of two credentials is enough: the wallet presents the credential that it has', async () => {
    await desk.opened('/requests/new-request', async (page) => {
      await chosen(page, 0, 'SD-JWT VC', 'family')
      await click(page, 'Request another credential')
      await credential(page, 1).getByLabel('Type', { exact: true }).selectOption('Another type …')
      await credential(page, 1).getByLabel('Type of the credential (vct)').fill('urn:example:held:by:nobody')
      for (const at of [0, 1])
        await credential(page, at).getByLabel('Required or optional').selectOption('One of these credentials is enough')
      await click(page, 'Create request')
      await click(page, 'Answer with a hosted wallet')
      await proven(page)
      await card(page).getByText('Ada of SD-JWT VC').waitFor()
    })
  })

  it('a payment is shown to the person who answers, who authorizes it, and the result says so', async () => {
    await desk.opened('/requests/new-request', async (page) => {
      await chosen(page, 0, 'SD-JWT VC', 'family')
      await click(page, 'Add a transaction')
      await page.getByLabel('Type of transaction').fill('payment')
      await page.getByLabel('Name of detail 1').fill('amount')
      await page.getByLabel('Content of detail 1').fill('12.50 EUR')
      await click(page, 'Create request')
      await click(page, 'Answer with a hosted wallet')
      const question = page.getByRole('dialog', { name: 'Authorize this transaction?' })
      await question.getByText('12.50 EUR').waitFor()
      await question.getByRole('button', { name: 'Authorize and present' }).click()
      await proven(page)
      await page.getByText(/checks passed$/).click()
      await page.getByText('The wallet authorized the transaction data with the credential’s key.').waitFor()
      await card(page).getByText('The holder authorized the transaction with this credential.').waitFor()
      await assertGood(page, 'format-transaction')
    })
  })
})

describe('an offer by authorization code', () => {
  it('is taken by a wallet whose holder agrees in a browser; a hosted wallet is not offered, because it has no browser', async () => {
    await desk.opened('/', async (page) => {
      await offered(page, FORMATS[0][1], 'Ada', () => page.getByLabel('A user who agrees in a browser').check())
      await page.getByText('A hosted wallet cannot take this offer').waitFor()
      expect(await page.getByRole('button', { name: 'Take with a hosted wallet' }).count()).toBe(0)
      await assertGood(page, 'offer-authorization-code')

      const link = new URL(await scanned(page))
      const sent = await desk.service.request(
        'GET',
        new URL(link.searchParams.get('credential_offer_uri') ?? '').pathname,
      )
      const offer = sent.json
      const { verifier, challenge } = newPkce()
      const callback = `${desk.service.url}/health`
      const request = {
        client_id: 'wallet',
        response_type: 'code',
        redirect_uri: callback,
        scope: offer.credential_configuration_ids[0],
        code_challenge: challenge,
        code_challenge_method: 'S256',
        issuer_state: offer.grants.authorization_code.issuer_state,
      }
      const holder = await page.context().newPage()
      await holder.goto(`${desk.service.url}/openid4vci/authorize?${new URLSearchParams(request)}`)
      await holder.getByRole('button', { name: 'Put it into my wallet' }).click()
      // Close the page only after it has loaded, because closing a loading page may hang.
      await holder.waitForURL((url) => url.href.startsWith(`${callback}?`))
      const code = new URL(holder.url()).searchParams.get('code') ?? ''
      await inTime('closing the page of the holder', holder.close())
      await page.getByText('The holder has agreed.').waitFor()

      const token = await fetch(`${desk.service.url}/openid4vci/token`, {
        method: 'POST',
        signal: AbortSignal.timeout(30_000),
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code,
          client_id: 'wallet',
          redirect_uri: callback,
          code_verifier: verifier,
        }),
      })
      expect(token.status).toBe(200)
      await page.getByText('The wallet may fetch the credential.').waitFor()
    })
  })
})

describe('without the certificates that mobile documents need', () => {
  const bare = driven(() => startOpenService())
  beforeAll(async () => {
    expect((await bare.service.request('POST', '/schemas', { body: licence })).status).toBe(201)
  })

  it('the offer names the missing certificate, and offers the other formats', async () => {
    await bare.opened(`/offers?type=${TYPE}`, async (page) => {
      await page.getByText('has no certificate to sign it: set ISSUER_X509').waitFor()
      const formats = await page.getByLabel('Format').getByRole('option').allTextContents()
      expect(formats).toEqual(expect.arrayContaining([FORMATS[0][1], FORMATS[1][1]]))
      expect(formats).not.toContain(FORMATS[2][1])
      await assertGood(page, 'offer-without-certificate')
    })
  })

  it('the request names the missing certificates at the field', async () => {
    await bare.opened(
      '/requests/new-request',
      async (page) => {
        await page.getByLabel('Type', { exact: true }).selectOption('Another type …')
        await page.getByLabel('Format').selectOption('Mobile document (mdoc)')
        const doctype = page.getByLabel('Document type (doctype)')
        await doctype.fill(NAMESPACE)
        await page.getByLabel('Namespace of claim 1').fill(NAMESPACE)
        await page.getByLabel('Element 1').fill('family')
        await click(page, 'Create request')
        await page.getByText('mso_mdoc needs TRUST_ANCHORS').waitFor()
        expect(await doctype.getAttribute('aria-invalid')).toBe('true')
      },
      [400],
    )
  })
})
