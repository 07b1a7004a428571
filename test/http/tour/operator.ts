import { createServer } from 'node:http'
import { closeServer, listenLocally } from '../../support/local-server.js'
import { newWallet } from '../../support/wallet-actor.js'
import { startListServer } from '../../trust/list-server.js'
import { definition, makeList, makeOperator } from '../../trust/lists.js'
import { makeLeaf, makeRoot, membership } from '../../verifier/certified.js'
import { type Bound, SCHEMA } from './purchase.js'

/** An admin adds a trusted list. */
export async function visitTrustLists({ go }: Pick<Bound, 'go'>): Promise<void> {
  const lists = await startListServer()
  const [operator, authority] = [makeOperator(), makeRoot('C=DE/Example PID authority')]
  const entities = [{ name: 'Ministry of the Interior', issuance: [authority] }]
  lists.publish('/lists/pid.jwt', { body: await makeList(operator, entities) })
  const { id } = await go('POST', '/api/v1/trust-lists', {
    body: definition(`${lists.url}/lists/pid.jwt`, operator, {
      note: 'PID of the EU',
      signer: { pem: operator.certificate.toString() },
    }),
  })
  const at = { id }
  await go('GET', '/api/v1/trust-lists')
  await go('GET', '/api/v1/trust-lists/{id}', { at })
  await go('GET', '/api/v1/trust-lists/{id}/entities', { at, query: { limit: '1' } })
  await go('POST', '/api/v1/trust-lists/{id}/refresh', { at })
  const credential = await membership(makeLeaf(authority, { subject: 'Example PID' }), await newWallet())
  await go('POST', '/api/v1/trust/explain', { body: { credential } })
  await go('DELETE', '/api/v1/trust-lists/{id}', { at })
  await lists.close()
}

/** An admin registers a webhook. */
export async function visitWebhooks({ go }: Bound): Promise<void> {
  const receiver = createServer((_, response) => response.writeHead(200).end('thank you'))
  const url = `${await listenLocally(receiver)}/webhooks/credence`
  const { id } = await go('POST', '/api/v1/webhooks', { body: { url, events: ['*'], description: 'Shop' } })
  const at = { id }
  await go('GET', '/api/v1/webhooks')
  await go('GET', '/api/v1/webhooks/{id}', { at })
  await go('POST', '/api/v1/webhooks/{id}', { at, body: { payload: 'full', active: true } })
  await go('POST', '/api/v1/webhooks/{id}/rotate-secret', { at })
  await go('POST', '/api/v1/webhooks/{id}/test', { at })
  const { items } = await go('GET', '/api/v1/webhooks/{id}/deliveries', { at })
  await go('POST', '/api/v1/webhooks/{id}/deliveries/{deliveryId}/resend', { at: { id, deliveryId: items[0].id } })
  await go('POST', '/api/v1/webhooks/{id}/replay', { at, body: { from: '2026-03-01T00:00:00Z' } })
  await go('DELETE', '/api/v1/webhooks/{id}', { at })
  await closeServer(receiver)
}

/** An admin exports credentials, sessions, audit events and the data of a person. */
export async function visitExports({ go }: Bound): Promise<void> {
  const { id } = await go('POST', '/api/v1/exports', {
    body: { kind: 'credentials', from: '2026-03-01T00:00:00Z', to: '2026-04-01T00:00:00Z', schema: SCHEMA.name },
  })
  await go('GET', '/api/v1/exports', { query: { limit: '1' } })
  await go('GET', '/api/v1/exports/{id}', { at: { id } })
  await go('GET', '/api/v1/exports/{id}/content', { at: { id } })
  const period = {
    from: new Date(Date.now() - 3_600_000).toISOString(),
    to: new Date(Date.now() + 60_000).toISOString(),
  }
  for (const asked of [
    { kind: 'credentials', ...period, format: 'csv' },
    { kind: 'audit', ...period },
    { kind: 'sessions', ...period },
    { subject: { sub: 'alice' } },
  ]) {
    const other = await go('POST', '/api/v1/exports', { body: asked })
    await go('GET', '/api/v1/exports/{id}/content', { at: { id: other.id } })
  }
}
