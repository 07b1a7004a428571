import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PLACES } from '../../../client/console/navigation.js'
import { NEEDS, type Operation } from '../../../client/console/operations.js'
import { en } from '../../../client/console/texts/en.js'
import { en as keyTexts } from '../../../client/console/texts/signing-keys/en.js'
import { en as listTexts } from '../../../client/console/texts/trust-lists/en.js'
import { ask, type ConsoleService, logIn, startConsole } from '../../console/actors.js'
import { assertGood } from '../actors.js'
import { driven, heading, settled } from './actors.js'

const { lists, explain } = listTexts

type Path = keyof typeof NEEDS

const SUBJECT = { productName: 'Espressomaschine', merchant: 'Eckladen', purchaseDate: '2026-03-01' }
const QUERY = [{ fields: [{ path: ['$.type'], filter: { contains: { const: 'ProofOfPurchase' } } }] }]
const ROLES = ['admin', 'issuing', 'verifying'] as const

/** The buttons and links of screens, with the operation that each of them leads to. */
const BUTTONS: readonly (readonly [
  path: Path,
  role: 'button' | 'link',
  name: string | RegExp,
  operation: Operation,
])[] = [
  ['/types', 'link', en.types.make, 'schemas.create'],
  ['/types', 'link', en.types.offer, 'credentialOffers.create'],
  ['/types', 'link', 'Proof of purchase', 'schemas.versions'],
  ['/types/$name', 'link', en.types.nextVersion, 'schemas.create'],
  ['/types/$name', 'button', en.types.withdrawVersion(1), 'schemas.withdraw'],
  ['/offers', 'link', en.many.title, 'credentialOffers.createMany'],
  ['/credentials', 'button', en.credentials.revokeMany(0), 'credentials.revoke'],
  ['/credentials/$id', 'button', en.credentials.changes.revoke.act, 'credentials.revoke'],
  ['/credentials/$id', 'button', en.credentials.erase, 'erasure.credential'],
  ['/requests', 'link', en.requests.make, 'authorizationRequests.create'],
  ['/requests', 'button', en.requests.deleteQuery('Proof of purchase'), 'vpQueries.delete'],
  ['/requests/new-request', 'button', en.requests.save, 'vpQueries.create'],
  ['/trust', 'link', en.trust.newIssuer, 'agent.createIssuer'],
  ['/trust', 'link', en.trust.newVerifier, 'agent.createVerifier'],
  ['/trust', 'link', en.trust.lists, 'trustLists.list'],
  ['/trust', 'link', en.trust.explain, 'trustLists.explain'],
  ['/trust', 'link', keyTexts.title, 'signingKeys.list'],
  // The default records have the host as their name.
  ['/trust/keys', 'button', new RegExp(`^${keyTexts.rotateOf.issuer('127.0.0.1')}`), 'signingKeys.rotateIssuer'],
  ['/trust/keys', 'button', new RegExp(`^${keyTexts.rotateOf.verifier('127.0.0.1')}`), 'signingKeys.rotateVerifier'],
  ['/trust/lists', 'button', lists.add, 'trustLists.add'],
  ['/trust/lists/$id', 'button', lists.refresh, 'trustLists.refresh'],
  ['/trust/lists/$id', 'button', lists.remove, 'trustLists.remove'],
  ['/trust/explain', 'button', explain.explain, 'trustLists.explain'],
  ['/trust/trusted', 'button', en.trust.removeTrusted('Diplome'), 'trustedIssuers.remove'],
  ['/audit', 'button', en.exports.open, 'exports.create'],
]

/** The next steps on the overview of an empty service, with the operation that each of them leads to. */
const STEPS: readonly (readonly [name: string, operation: Operation])[] = [
  [en.overview.nextType, 'schemas.create'],
  [en.overview.nextOffer, 'credentialOffers.create'],
  [en.overview.nextRequest, 'authorizationRequests.create'],
]

let started: ConsoleService
/** The addresses of the screens whose path has an id. Undefined until there are records. */
let addresses: Partial<Record<Path, string>> | undefined

beforeAll(async () => {
  started = await startConsole({ env: { ISSUER_ROLE: 'issuing', VERIFIER_ROLE: 'verifying' } })
})
const desk = driven(async () => started.service)
afterAll(() => started?.provider.close())

/** Makes one record of each kind, as an admin. */
async function prepared(): Promise<Partial<Record<Path, string>>> {
  started.provider.user = { sub: 'alice', name: 'Alice', roles: ['admin'] }
  const { browser } = await logIn(started)
  const post = async (path: string, body: unknown) => {
    const { status, text, json } = await ask(started.service, browser, 'POST', path, { body })
    expect(status, text).toBeLessThan(300)
    return json
  }
  await post('/schemas', JSON.parse(readFileSync('prisma/seed/proof-of-purchase.json', 'utf8')))
  const credential = await post('/api/v1/credentials', { type: 'ProofOfPurchase', credential_subject: SUBJECT })
  const offered = () =>
    post('/credential-offers', {
      credentialConfigurationIds: ['ProofOfPurchase-sd-jwt'],
      credentialSubject: SUBJECT,
    })
  const offer = await offered()
  await post('/api/v1/verifier/vp-queries', { query: QUERY })
  const request = await post('/authorization-requests', { query: QUERY })
  const issuer = await post('/agent/issuer', { method: 'key' })
  const verifier = await post('/agent/verifier', { method: 'key' })
  await post('/api/v1/trusted-issuers', { issuer: 'https://university.example', note: 'Diplome' })
  const list = await post('/api/v1/trust-lists', {
    url: 'https://lists.example/pid.jwt',
    kind: 'lote',
    purpose: 'credentials',
    signer: { sha256: 'ab'.repeat(32) },
  })
  const holder = await post('/agent/holder', { method: 'key' })
  const taken = await post(`/holders/${holder.id}/process`, { uri: (await offered()).credentialOfferUri })
  return {
    '/types/$name': '/types/ProofOfPurchase',
    '/types/$name/edit': '/types/ProofOfPurchase/edit',
    '/offers/$id': `/offers/${offer.credentialOfferSessionId}`,
    '/requests/$id': `/requests/${request.verificationSessionId}`,
    '/credentials/$id': `/credentials/${credential.id}`,
    '/wallets/$id': `/wallets/${holder.id}`,
    '/wallets/$id/credentials/$credentialId': `/wallets/${holder.id}/credentials/${taken.credentials[0].id}`,
    '/trust/lists/$id': `/trust/lists/${list.id}`,
    '/trust/issuers/$id': `/trust/issuers/${issuer.id}`,
    '/trust/verifiers/$id': `/trust/verifiers/${verifier.id}`,
  }
}

async function withRecords(): Promise<void> {
  addresses ??= await prepared()
}

/** Calls of the page that the service refuses for the user's role. */
function refusalsIn(page: Page): string[] {
  const refused: string[] = []
  page.on('response', async (response) => {
    const isStream = response.headers()['content-type']?.startsWith('text/event-stream') === true
    const text = isStream ? '' : await response.text().catch(() => '')
    if (response.status() === 403 || text.includes('Insufficient role.')) refused.push(response.url())
  })
  return refused
}

/** Signs in as a user with one role. Resolves with the operations that the service allows this user. */
async function signIn(page: Page, role: string): Promise<ReadonlySet<string>> {
  started.provider.user = { sub: `user-${role}`, roles: [role] }
  await page.getByRole('link', { name: en.session.signIn }).click()
  await heading(page, en.overview.title)
  // The service is started by the test, so the answer has the form of its contract.
  const { user } = await page.evaluate<{ readonly user: { readonly operations: readonly string[] } }>(
    `fetch('${desk.service.url}/console/session', { headers: { 'x-console': '1' } }).then((answer) => answer.json())`,
  )
  return new Set(user.operations)
}

// `Object.keys` returns strings.
const paths = Object.keys(NEEDS).filter((path) => path !== '/signed-in') as Path[]
const isAllowed = (path: Path, operations: ReadonlySet<string>) =>
  NEEDS[path].length === 0 || NEEDS[path].some((operation) => operations.has(operation))

describe.each(ROLES)('an empty service and a user with the role %s', (role) => {
  it('the overview has the next steps that the service allows', async () => {
    await desk.opened('/', async (page) => {
      const operations = await signIn(page, role)
      const steps = page.getByRole('region', { name: en.overview.next }).getByRole('link')
      const allowed = STEPS.filter(([, operation]) => operations.has(operation)).map(([name]) => name)
      await expect.poll(() => steps.allTextContents()).toEqual(allowed)
    })
  })
})

describe.each(ROLES)('a user with the role %s', (role) => {
  beforeAll(withRecords)

  it('is offered the screens and buttons that the service allows, and meets no refusal', async () => {
    await desk.opened('/', async (page) => {
      const refused = refusalsIn(page)
      const operations = await signIn(page, role)
      const nav = page.getByRole('navigation', { name: en.common.navigation })
      const places = PLACES.filter(({ to }) => isAllowed(to, operations)).map(({ name }) => en.nav[name])
      expect(await nav.getByRole('link').allTextContents()).toEqual(places)
      for (const path of paths) {
        await page.goto(`${desk.service.url}/console${addresses?.[path] ?? path}`)
        await settled(page)
        const closed = page.getByRole('heading', { level: 1, name: en.session.noRoleTitle })
        expect([path, await closed.count()]).toEqual([path, isAllowed(path, operations) ? 0 : 1])
        if (!isAllowed(path, operations)) continue
        const here = BUTTONS.filter(([at]) => at === path)
        const shown = async ([, kind, name]: (typeof here)[number]) =>
          (await page.getByRole('main').getByRole(kind, { name, exact: true }).count()) > 0
        const expected = here.map(([, , name, operation]) => [name, operations.has(operation)])
        const found = async () => Promise.all(here.map(async (button) => [button[2], await shown(button)]))
        await expect.poll(found, { message: path }).toEqual(expected)
      }
      expect(refused).toEqual([])
    })
  })
})

describe('a screen that the user may not open', () => {
  beforeAll(withRecords)

  it('names the roles that it needs, and whom to ask', async () => {
    await desk.opened('/', async (page) => {
      await signIn(page, 'issuing')
      const refused = refusalsIn(page)
      for (const [path, sentence] of [
        ['/audit', en.session.noRole(['admin'])],
        ['/requests/new-request', en.session.noRole(['verifying', 'admin'])],
        [addresses?.['/requests/$id'], en.session.noRole(['verifying', 'admin'])],
      ]) {
        await page.goto(`${desk.service.url}/console${path}`)
        await heading(page, en.session.noRoleTitle)
        await page.getByText(sentence ?? '').waitFor()
        await page.getByText(en.session.askForRole).waitFor()
      }
      await assertGood(page, 'no-role')
      expect(refused).toEqual([])
    })
  })

  it('is open at once after the user has signed in with the role', async () => {
    await desk.opened('/audit', async (page) => {
      started.provider.user = { sub: 'olga', roles: ['issuing'] }
      await page.getByRole('link', { name: en.session.signIn }).click()
      await heading(page, en.session.noRoleTitle)
      started.provider.user = { sub: 'olga', roles: ['admin'] }
      await page.goto(`${desk.service.url}/console/login?return=/console/audit`)
      await heading(page, en.nav.audit)
    })
  })
})

it('a user who is not signed in sees only the sign-in', async () => {
  await desk.opened('/credentials', async (page) => {
    await heading(page, en.session.closedTitle)
    expect(await page.getByRole('navigation').count()).toBe(0)
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0)
    expect(await page.getByRole('combobox', { name: en.search.label }).count()).toBe(0)
    const links = await page.getByRole('main').getByRole('link').allTextContents()
    expect(links).toEqual([en.session.signIn, 'Use another account'])
  })
})

describe('the sessions of colleagues', () => {
  it('are listed with their creators, and `mine` leaves only those of the user', async () => {
    await desk.opened('/', async (page) => {
      await signIn(page, 'verifying')
      await page.goto(`${desk.service.url}/console/sessions`)
      const table = page.getByRole('table')
      await table.getByText('alice').waitFor()
      await page.getByLabel(en.sessions.by).selectOption('true')
      await page.getByRole('heading', { name: en.sessions.noMatch }).waitFor()
      expect(page.url()).toContain('mine=')
    })
  })

  it('open with their progress', async () => {
    started.provider.user = { sub: 'alice', roles: ['admin'] }
    const { browser } = await logIn(started)
    const { status, json } = await ask(started.service, browser, 'POST', '/credential-offers', {
      body: { credentialConfigurationIds: ['ProofOfPurchase-sd-jwt'], credentialSubject: SUBJECT },
    })
    expect(status).toBe(201)
    await desk.opened('/', async (page) => {
      await signIn(page, 'issuing')
      await page.goto(`${desk.service.url}/console/offers/${json.credentialOfferSessionId}`)
      const progress = page.getByRole('region', { name: en.offers.progress })
      await progress.getByRole('listitem').first().waitFor()
      expect(await page.getByText(en.problem.title).count()).toBe(0)
    })
  })
})
