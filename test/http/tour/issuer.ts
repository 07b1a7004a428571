import { createServer } from 'node:http'
import { closeServer, listenLocally } from '../../support/local-server.js'
import { visitTrustLists } from './operator.js'
import { type Bound, NAMES, SCHEMA, SUBJECT } from './purchase.js'

/** An issuer offers, issues, revokes and erases, and reads the lists of the console. */
export async function visitIssuer({ go }: Bound): Promise<void> {
  const members = { credential_type: SCHEMA.name, credential_subject: SUBJECT }
  const { id } = await go('POST', '/api/v1/offerings', { body: members })
  await go('GET', '/api/v1/offerings/{id}', { at: { id } })
  await go('GET', '/api/v1/offerings/{id}/qr-code', { at: { id } })
  for (const accept of ['image/png', 'image/svg+xml', 'text/html'])
    await go('GET', '/api/v1/offerings/{id}/qr-code', { at: { id }, headers: { accept } })
  const claimed = await go('POST', '/api/v1/offerings/{id}/claim', { at: { id } })
  await go('GET', '/api/v1/offerings')
  await go('POST', '/api/v1/credentials', { body: { type: SCHEMA.name, credential_subject: SUBJECT } })
  await go('GET', '/api/v1/credentials/{id}', { at: { id: claimed.id } })
  await go('GET', '/api/v1/credentials', { query: { offeringId: id } })
  const list = String(claimed.vc.credentialStatus[0].statusListCredential).split('/').at(-1) ?? ''
  await go('GET', '/status-lists/{id}', { at: { id: list } })
  await go('GET', '/token-status-lists/{id}', { at: { id: list } })
  await go('GET', '/token-status-lists')
  await go('POST', '/api/v1/credentials/{id}/revoke', { at: { id: claimed.id } })
  await go('GET', '/api/v1/credentials/{id}/history', { at: { id: claimed.id } })
  await go('POST', '/api/v1/credentials/{id}/erase', { at: { id: claimed.id } })
  const erased = await go('POST', '/api/v1/offerings', { body: members })
  await go('POST', '/api/v1/offerings/{id}/erase', { at: { id: erased.id } })
  await go('GET', '/api/v1/setup')
  await go('GET', '/api/v1/settings')
  await go('GET', '/api/v1/console/events')
  await go('GET', '/api/v1/console/roles', { query: { operation: 'audit.list' } })
  const trusted = await go('POST', '/api/v1/trusted-issuers', {
    body: { issuer: 'https://university.example', note: 'Diplomas' },
  })
  await go('GET', '/api/v1/trusted-issuers')
  await go('DELETE', '/api/v1/trusted-issuers/{id}', { at: { id: trusted.id } })
  await visitTrustLists({ go })
  await go('GET', '/api/v1/trust/credentials')
  await go('GET', '/api/v1/trust/wallets')
  await go('GET', '/api/v1/statistics', {
    query: { step: 'hour', from: '2026-03-01T12:00:00Z', to: '2026-03-01T13:00:00Z' },
  })
  await go('GET', '/api/v1/search', { query: { q: NAMES.reference } })
  await go('GET', '/api/v1/audit-events', { query: { subjectId: id } })
  const body = { type: SCHEMA.name, credential_subject: SUBJECT, format: 'dc+sd-jwt' }
  const { credential } = await go('POST', '/credentials/sign', { body })
  await go('POST', '/credentials/verify', { body: { credential } })
  await go('POST', '/api/v1/credentials/checks', { body: { credential } })
}

/** An issuer suspends a credential, alone and by a job. */
export async function visitSuspension({ go }: Bound): Promise<void> {
  const schema = await go('POST', '/schemas', { body: { ...SCHEMA, name: 'StudentCard', suspendable: true } })
  const { id, vc } = await go('POST', '/api/v1/credentials', {
    body: { type: schema.name, credential_subject: SUBJECT, ...NAMES },
  })
  const [, list] = String(vc.credentialStatus[1].statusListCredential).split('/status-lists/')
  await go('POST', '/api/v1/credentials/{id}/suspend', {
    at: { id },
    body: { reason: 'holderRequest', note: 'Called.' },
  })
  await go('GET', '/api/v1/credentials/{id}/status', { at: { id } })
  await go('GET', '/status-lists/{id}/suspension', { at: { id: String(list).split('/')[0] ?? '' } })
  await go('POST', '/api/v1/credentials/{id}/reinstate', { at: { id } })
  await visitStatusJobs({ go }, id)
  await go('DELETE', '/schemas/{schemaId}', { at: { schemaId: schema.id } })
}

async function visitStatusJobs({ go }: Pick<Bound, 'go'>, id: string): Promise<void> {
  const asked = { action: 'suspend', reason: 'holderRequest', note: 'Called.', filter: { ids: [id] } }
  await go('POST', '/api/v1/credential-status-jobs', { body: { ...asked, dryRun: true } })
  const job = await go('POST', '/api/v1/credential-status-jobs', { body: asked })
  await go('POST', '/api/v1/credential-status-jobs/{id}/pause', { at: { id: job.id } })
  await go('GET', '/api/v1/credential-status-jobs/{id}', { at: { id: job.id } })
  await go('GET', '/api/v1/credential-status-jobs', { query: { limit: '1' } })
  await go('POST', '/api/v1/credential-status-jobs/{id}/resume', { at: { id: job.id } })
  await go('POST', '/api/v1/credential-status-jobs/{id}/cancel', { at: { id: job.id } })
}

/** An issuer connects a source of claims. */
export async function visitClaimsSource({ go }: Bound): Promise<void> {
  const source = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ credentialSubject: SUBJECT }))
  })
  const url = await listenLocally(source)
  const hmac = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const { id } = await go('POST', '/schemas', {
    body: { ...SCHEMA, name: 'StudentRecord', claimsSource: { url, auth: { hmac } } },
  })
  const at = { id }
  await go('POST', '/api/v1/schemas/{id}/claims-source/secret', { at, body: { auth: { hmac } } })
  await go('POST', '/api/v1/schemas/{id}/claims-source/test', { at, body: { reference: 'M-2026-0042' } })
  await go('DELETE', '/schemas/{schemaId}', { at: { schemaId: id } })
  await closeServer(source)
}
