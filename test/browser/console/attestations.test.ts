import { describe, expect, it } from 'vitest'
import { createTokenStatusList } from '../../../server/protocol/status-list/token-status-list.js'
import { PRE_AUTHORIZED } from '../../issuer/openid4vci/actors.js'
import { knownWallet, newProvider, popOf, trusting } from '../../issuer/openid4vci/attestation-actors.js'
import { runTask } from '../../support/maintenance.js'
import { query } from '../../support/postgres.js'
import { newWallet } from '../../support/wallet-actor.js'
import { startWebServer, type WebServer } from '../../verifier/web-server.js'
import { assertGood } from '../actors.js'
import { driven, heading, startOpenService } from './actors.js'
import { press, tabTo, typeInto } from './keyboard.js'

const CLIENT = 'https://pocket.example'
const DAY = 86_400

let web: WebServer
let provider: Awaited<ReturnType<typeof newProvider>>

const desk = driven(async () => {
  web = await startWebServer()
  provider = await newProvider()
  const wallets = await trusting([knownWallet(CLIENT, ['pocket:done'], provider)])
  return startOpenService({ ...wallets, OUTBOUND_ALLOWED_HOSTS: `127.0.0.1:${web.port}` })
})

const later = (seconds: number) => new Date(Date.now() + seconds * 1000)

async function publish(uri: string, revokedIndices: readonly number[]): Promise<void> {
  const body = await createTokenStatusList({
    signer: provider.signer,
    issuer: provider.iss,
    issuerKid: 'provider-key',
    uri,
    revokedIndices,
    size: 1_024,
    issuedAt: new Date(),
    expiresAt: later(30 * DAY),
    ttlSeconds: 60,
  })
  web.documents.set(new URL(uri).pathname, { body, type: 'application/statuslist+jwt' })
}

/** Issues a credential to a wallet whose attestation has a lasting status. Returns the id of the credential. */
async function taken(uri: string): Promise<string> {
  const { service } = desk
  const offer = await service.request('POST', '/credential-offers', {
    body: { credentialConfigurationIds: ['StudentCard-sd-jwt'], credentialSubject: { level: 'gold' } },
  })
  expect(offer.status, offer.text).toBe(201)
  const { grants } = (await service.request('GET', `/openid4vci/offers/${offer.json.credentialOfferSessionId}`)).json
  const instance = await newWallet()
  const client_status = { status: { status_list: { uri, idx: 7 } }, exp: Math.floor(later(20 * DAY).getTime() / 1000) }
  const token = await service.request('POST', '/openid4vci/token', {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'oauth-client-attestation': await provider.attest(CLIENT, instance, { payload: { client_status } }),
      'oauth-client-attestation-pop': await popOf(instance, service.url),
    },
    body: new URLSearchParams({
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': grants[PRE_AUTHORIZED]['pre-authorized_code'],
    }).toString(),
  })
  expect(token.status, token.text).toBe(200)
  const nonce = (await service.request('POST', '/openid4vci/nonce')).json.c_nonce
  const answer = await service.request('POST', '/openid4vci/credential', {
    authorization: `Bearer ${token.json.access_token}`,
    body: {
      credential_configuration_id: 'StudentCard-sd-jwt',
      proofs: { jwt: [await instance.proof(service.url, nonce)] },
    },
  })
  expect(answer.status, answer.text).toBe(200)
  const [row] = await query(service.databaseUrl, 'SELECT id FROM credentials')
  return String(row?.id)
}

describe('credentials that end with the wallet', () => {
  it('are chosen in the editor of the type with the keyboard, and show their attestations until the wallet is revoked', async () => {
    const uri = `http://127.0.0.1:${web.port}/list`
    await publish(uri, [])
    await desk.opened('/types', async (page) => {
      await heading(page, 'Credential types')
      await press(page, 'New credential type')
      await heading(page, 'New credential type')
      await typeInto(page, 'Technical name', 'StudentCard')
      await typeInto(page, 'Name', 'Student card')
      await typeInto(page, 'Claim, claim 1', 'level')
      await press(page, 'Validity and status (optional)')
      await tabTo(page, 'Its credentials are revoked if the wallet or its keys are revoked')
      await page.keyboard.press('Space')
      await assertGood(page, 'type-watch-attestations')
      await press(page, 'Publish')
      await heading(page, 'Student card')
    })
    const id = await taken(uri)
    const run = async (now: Date) => {
      for (const task of desk.service.features.attestationWatch.tasks) await runTask(task, now)
    }
    await desk.opened(`/credentials/${id}`, async (page) => {
      const attestation = page.getByRole('table', { name: 'Attestations' }).getByRole('row').nth(1)
      await attestation.getByText('the wallet').waitFor()
      await attestation.getByText('valid').waitFor()
      await attestation.getByText(uri).waitFor()
      await assertGood(page, 'credential-attestations')
      web.documents.clear()
      await run(later(DAY))
      await page.reload()
      await attestation.getByText('cannot be read').waitFor()
      await page.goto(`${desk.service.url}/console/`)
      await page.getByText('attention.').click()
      await page.getByText('1 of 1 status lists of wallet providers cannot be read').waitFor()
      await assertGood(page, 'checklist-attestation-lists')
      await publish(uri, [7])
      await run(later(DAY + 3_700))
      await page.goto(`${desk.service.url}/console/credentials/${id}`)
      await attestation.getByText('revoked').waitFor()
      await page.getByText('A key is in the wrong hands').first().waitFor()
    })
    await web[Symbol.asyncDispose]()
  })
})
