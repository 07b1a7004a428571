import { createServer } from 'node:http'
import { certificateFor, pemOf } from '../agent/authority.js'
import { accessLeaf, SHOP, startRegistrar } from '../agent/registrations/registered.js'
import { JPEG, png, svg } from '../images/pictures.js'
import { newPkce } from '../issuer/openid4vci/browser.js'
import { encryptFor, newAnswerKey, requestKey } from '../issuer/openid4vci/encryption-actors.js'
import { closeServer, listenLocally } from '../support/local-server.js'
import { query } from '../support/postgres.js'
import type { TestService } from '../support/service.js'
import { newWallet } from '../support/wallet-actor.js'
import { startListServer } from '../trust/list-server.js'
import { definition, makeList, makeOperator } from '../trust/lists.js'
import { makeLeaf, makeRoot, membership } from '../verifier/certified.js'
import { Tourist, type Visit, type Visited } from './tourist.js'

/** Names of the offers, credentials and requests. They are personal data, as claims are. */
const NAMES = { reference: 'order-4711', label: 'Espresso machine of Ada' }
const SUBJECT = { productName: 'Espresso machine', merchant: 'Corner Shop', purchaseDate: '2026-03-01' }
const SCHEMA = {
  name: 'ProofOfPurchase',
  version: 1,
  title: 'Proof of purchase',
  display: [{ name: 'Proof of purchase', locale: 'en' }],
  selectivelyDisclosable: ['merchant'],
  schema: {
    type: 'object',
    properties: {
      productName: { type: 'string', title: 'Product' },
      merchant: { type: 'string' },
      purchaseDate: { type: 'string', format: 'date' },
    },
    required: ['productName', 'merchant', 'purchaseDate'],
    additionalProperties: false,
  },
}
const QUERY = [
  {
    fields: [
      { path: ['$.type'], filter: { type: 'array', contains: { const: 'ProofOfPurchase' } } },
      { path: ['$.credentialSubject.productName'] },
    ],
  },
]
const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

async function visitAgent({ go, service }: Bound): Promise<{ holder: string; did: string }> {
  const { id: issuerId } = await go('POST', '/agent/issuer', { body: { method: 'web', display: [{ name: 'Shop' }] } })
  await go('GET', '/agent/issuers', { query: { limit: '1' } })
  await go('GET', '/agent/issuer/{id}', { at: { id: issuerId } })
  await go('GET', '/api/v1/issuers', { query: { limit: '1' } })
  await go('GET', '/api/v1/issuers/{id}', { at: { id: issuerId } })
  const renamed = { before: [{ name: 'Shop' }], display: [{ name: 'Corner Shop', locale: 'en' }] }
  await go('POST', '/api/v1/issuers/{id}/display', { at: { id: issuerId }, body: renamed })
  await go('POST', '/api/v1/issuers/{id}/rotate', { at: { id: issuerId }, body: { algorithm: 'ES256' } })
  await go('POST', '/agent/issuer/{id}/signing', { at: { id: issuerId }, body: { signing: 'delegated' } })
  const asked = await go('GET', '/agent/issuer/{id}/certificate-request', { at: { id: issuerId } })
  const authority = { subject: 'C=DE/Issuing authority', ca: true, pathLength: 0, keyUsage: 0x04 }
  const issuerChain = pemOf(certificateFor(asked.certificateRequest, authority))
  await go('POST', '/agent/issuer/{id}/certificate', { at: { id: issuerId }, body: { chain: issuerChain } })
  const { id: verifierId } = await go('POST', '/agent/verifier', { body: { method: 'web' } })
  await go('GET', '/agent/verifiers', { query: { limit: '1' } })
  await go('GET', '/agent/verifier/{id}', { at: { id: verifierId } })
  const { certificateRequest } = await go('GET', '/agent/verifier/{id}/certificate-request', { at: { id: verifierId } })
  const chain = pemOf(certificateFor(certificateRequest, { subject: `C=DE/OI=${SHOP}/Shop` }))
  await go('POST', '/agent/verifier/{id}/certificate', { at: { id: verifierId }, body: { chain } })
  await visitRegistrations({ go }, verifierId)
  await visitIssuerRegistrations({ go, service }, issuerId)
  await go('GET', '/api/v1/verifiers', { query: { limit: '1' } })
  await go('GET', '/api/v1/verifiers/{id}', { at: { id: verifierId } })
  const named = { before: [], display: [{ name: 'Corner Shop' }] }
  await go('POST', '/api/v1/verifiers/{id}/display', { at: { id: verifierId }, body: named })
  await go('POST', '/api/v1/verifiers/{id}/rotate', { at: { id: verifierId }, body: { provider: 'database' } })
  await go('GET', '/api/v1/signing-keys', { query: { limit: '1' } })
  await go('GET', '/api/v1/key-providers')
  const web = await go('POST', '/agent/did', { body: { method: 'web' } })
  await go('GET', '/agent/dids', { query: { limit: '1' } })
  await go('GET', '/agent/did/{did}', { at: { did: web.did } })
  const uuid = String(web.did).split(':').at(-1) ?? ''
  await go('GET', '/{uuid}/did.json', { at: { uuid } })
  await go('GET', '/{uuid}/.well-known/did.json', { at: { uuid } })
  const { id: holder, did } = await go('POST', '/agent/holder', {
    body: { method: 'key', name: 'Wallet of the counter' },
  })
  await go('POST', '/holders/{holderId}/name', { at: { holderId: holder }, body: { name: 'Counter 2' } })
  await go('GET', '/agent/holders')
  const other = await go('POST', '/holders/{holderId}/dids', { at: { holderId: holder }, body: { method: 'key' } })
  await go('GET', '/holders/{holderId}/dids', { at: { holderId: holder } })
  await go('DELETE', '/holders/{holderId}/dids/{did}', { at: { holderId: holder, did: other.did } })

  const schema = await go('POST', '/schemas', { body: SCHEMA })
  const at = { schemaId: schema.id, issuerId }
  await go('GET', '/schemas/{schemaId}', { at })
  await go('GET', '/schemas/{schemaId}/versions', { at: { schemaId: SCHEMA.name } })
  await go('GET', '/api/v1/schemas', { query: { limit: '1' } })
  await go('POST', '/schemas/{schemaId}/issuers/{issuerId}', { at })
  await go('DELETE', '/schemas/{schemaId}/issuers/{issuerId}', { at })
  await go('GET', '/api/v1/schemas/{id}', { at: { id: schema.id } })
  await go('GET', '/vct/{name}', { at: { name: SCHEMA.name } })
  const display = ['svg+xml', 'png', 'jpeg', 'gif', 'webp'].map((type) => ({
    name: 'Proof of purchase',
    logo: { uri: `data:image/${type};base64,PHN2Zy8+` },
  }))
  const withdrawn = await go('POST', '/schemas', { body: { ...SCHEMA, version: 2, display } })
  for (const [position] of display.entries()) {
    const image = `${position}-logo`
    await go('GET', '/api/v1/schemas/{id}/images/{image}', { at: { id: withdrawn.id, image } })
  }
  await go('DELETE', '/schemas/{schemaId}', { at: { schemaId: withdrawn.id } })
  for (const bytes of [png(), JPEG, svg('<title>Logo</title>')]) {
    const { id } = await go('POST', '/api/v1/images', { body: { data: bytes.toString('base64') } })
    await go('GET', '/images/{id}', { at: { id } })
  }
  const { items } = await go('GET', '/api/v1/images', { query: { limit: '1' } })
  await go('DELETE', '/api/v1/images/{id}', { at: { id: items[0].id } })
  return { holder, did }
}

async function visitSuspension({ go }: Bound): Promise<void> {
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

async function visitClaimsSource({ go }: Bound): Promise<void> {
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

async function visitWebhooks({ go }: Bound): Promise<void> {
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

async function visitRegistrations({ go }: Pick<Bound, 'go'>, id: string): Promise<void> {
  const registrar = await startRegistrar()
  const certificate = await registrar.certify()
  const added = await go('POST', '/api/v1/verifiers/{id}/registration-certificates', {
    at: { id },
    body: { certificate },
  })
  await go('GET', '/api/v1/verifiers/{id}/registration-certificates', { at: { id } })
  const at = { id, certificateId: added.id }
  await go('DELETE', '/api/v1/verifiers/{id}/registration-certificates/{certificateId}', { at })
  await registrar.close()
}

/** The key of the default issuer has an access certificate meanwhile. */
async function visitIssuerRegistrations({ go, service }: Pick<Bound, 'go' | 'service'>, id: string): Promise<void> {
  const key = `id = (SELECT k.id FROM issuers i JOIN keys k ON k.key_set_id = i.key_set_id WHERE i.is_default AND k.retired_at IS NULL)`
  await query(service.databaseUrl, `UPDATE keys SET x5c = $1::json WHERE ${key}`, [
    JSON.stringify([accessLeaf(SHOP).x5c]),
  ])
  const registrar = await startRegistrar()
  const certificate = await registrar.certify({
    credentials: undefined,
    provides_attestations: [{ format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } }],
  })
  const added = await go('POST', '/api/v1/issuers/{id}/registration-certificates', {
    at: { id },
    body: { certificate },
  })
  await go('GET', '/api/v1/issuers/{id}/registration-certificates', { at: { id } })
  const at = { id, certificateId: added.id }
  await go('DELETE', '/api/v1/issuers/{id}/registration-certificates/{certificateId}', { at })
  await query(service.databaseUrl, `UPDATE keys SET x5c = NULL WHERE ${key}`)
  await registrar.close()
}

async function visitTrustLists({ go }: Pick<Bound, 'go'>): Promise<void> {
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

async function visitIssuer({ go }: Bound): Promise<void> {
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

const idOf = (url: unknown) => String(url).split('/').at(-1) ?? ''

async function visitReceivePage(go: Tourist['go'], credentialOfferSessionId: string): Promise<void> {
  const made = await go('POST', '/pages', { body: { credentialOfferSessionId } })
  const page = { id: idOf(made.url) }
  await go('GET', '/receive/{id}', { at: page })
  await go('GET', '/receive/{id}/events', { at: page })
}

async function visitOpenid4vci({ go, service }: Bound): Promise<void> {
  const offer = await go('POST', '/credential-offers', {
    body: {
      credentialConfigurationIds: [`${SCHEMA.name}-sd-jwt`, SCHEMA.name],
      credentialSubject: SUBJECT,
      page: true,
      ...NAMES,
    },
  })
  const { batchId } = await go('POST', '/api/v1/credential-offers/batch', {
    body: {
      rows: [{ key: '1', credentialConfigurationIds: [SCHEMA.name], credentialSubject: SUBJECT, page: true }],
      batch: { name: 'Purchases of March' },
    },
  })
  const batch = { id: String(batchId) }
  await go('GET', '/api/v1/offer-batches')
  await go('GET', '/api/v1/offer-batches/{id}', { at: batch })
  await go('GET', '/api/v1/offer-batches/{id}/result', { at: batch })
  await go('POST', '/api/v1/offer-batches/{id}/cancel', { at: batch, body: { reason: 'The price was wrong' } })
  const session = { id: String(offer.credentialOfferSessionId) }
  await go('GET', '/credential-offer-sessions/{id}/events', { at: session })
  await visitReceivePage(go, session.id)
  const other = await go('POST', '/credential-offers', {
    body: { credentialConfigurationIds: [SCHEMA.name], credentialSubject: SUBJECT, txCode: true, page: true },
  })
  const again = { id: String(other.credentialOfferSessionId) }
  await go('GET', '/api/v1/credential-offers/{id}', { at: again })
  await go('POST', '/api/v1/credential-offers/{id}/resend', { at: again, body: { txCode: { length: 8 } } })
  await go('POST', '/api/v1/credential-offers/{id}/cancel', { at: again, body: { reason: 'The name was wrong' } })
  const id = decodeURIComponent(offer.credentialOfferUri).split('/').at(-1) ?? ''
  const { grants } = await go('GET', '/openid4vci/offers/{id}', { at: { id } })
  const token = await go('POST', '/openid4vci/token', {
    form: { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': grants[PRE_AUTHORIZED]['pre-authorized_code'] },
  })
  const { c_nonce } = await go('POST', '/openid4vci/nonce')
  await go('POST', '/openid4vci/challenge')
  const wallet = await newWallet()
  const authorization = `Bearer ${token.access_token}`
  const taken = await go('POST', '/openid4vci/credential', {
    authorization,
    body: {
      credential_configuration_id: `${SCHEMA.name}-sd-jwt`,
      proofs: { jwt: [await wallet.proof(service.url, c_nonce)] },
    },
  })
  const nonce = await go('POST', '/openid4vci/nonce')
  const request = {
    credential_configuration_id: SCHEMA.name,
    proofs: { jwt: [await wallet.proof(service.url, nonce.c_nonce)] },
    credential_response_encryption: { jwk: (await newAnswerKey()).publicJwk, enc: 'A128GCM' },
  }
  await go('POST', '/openid4vci/credential', {
    authorization,
    headers: { 'content-type': 'application/jwt' },
    body: await encryptFor(await requestKey(service), JSON.stringify(request)),
  })
  const body = { notification_id: taken.notification_id, event: 'credential_accepted' }
  await go('POST', '/openid4vci/notification', { authorization, body })
  await go('GET', '/credential-offer-sessions/{id}', { at: session })
  await go('GET', '/api/v1/credential-offer-sessions', { query: { limit: '1' } })
  await go('POST', '/api/v1/credential-offers/{id}/erase', { at: session })
}

async function visitDeferred({ go, service }: Bound): Promise<void> {
  const configuration = `${SCHEMA.name}-sd-jwt`
  const wait = async () => {
    const { credentialOfferSessionId, credentialOffer } = await go('POST', '/credential-offers', {
      body: { credentialConfigurationIds: [configuration], credentialSubject: SUBJECT, deferred: true },
    })
    const token = await go('POST', '/openid4vci/token', {
      form: {
        grant_type: PRE_AUTHORIZED,
        'pre-authorized_code': credentialOffer.grants[PRE_AUTHORIZED]['pre-authorized_code'],
      },
    })
    const { c_nonce } = await go('POST', '/openid4vci/nonce')
    const authorization = `Bearer ${token.access_token}`
    const jwt = [await (await newWallet()).proof(service.url, c_nonce)]
    const { transaction_id } = await go('POST', '/openid4vci/credential', {
      authorization,
      body: { credential_configuration_id: configuration, proofs: { jwt } },
    })
    return { at: { id: String(credentialOfferSessionId) }, authorization, body: { transaction_id } }
  }
  const { at, ...request } = await wait()
  await go('POST', '/openid4vci/deferred-credential', request)
  await go('POST', '/credential-offer-sessions/{id}/approve', { at, body: { credentialSubject: SUBJECT } })
  await go('POST', '/openid4vci/deferred-credential', request)
  const other = await wait()
  await go('POST', '/credential-offer-sessions/{id}/reject', { at: other.at, body: { reason: 'Not a customer' } })
  const third = await wait()
  await go('POST', '/api/v1/credential-offer-decisions', {
    body: { decision: 'reject', ids: [third.at.id], reason: 'Not a customer' },
  })
}

async function visitAuthorization({ go }: Bound): Promise<void> {
  const offer = await go('POST', '/credential-offers', {
    body: {
      credentialConfigurationIds: [`${SCHEMA.name}-sd-jwt`],
      credentialSubject: SUBJECT,
      grant: 'authorization_code',
    },
  })
  const pushed = await go('POST', '/openid4vci/par', {
    form: {
      client_id: 'wallet',
      response_type: 'code',
      redirect_uri: 'https://wallet.example.org/callback',
      scope: `${SCHEMA.name}-sd-jwt`,
      code_challenge: newPkce().challenge,
      code_challenge_method: 'S256',
      issuer_state: offer.credentialOffer.grants.authorization_code.issuer_state,
    },
  })
  const query = { client_id: 'wallet', request_uri: pushed.request_uri }
  const { headers } = await go('GET', '/openid4vci/authorize', { query })
  const id = headers.get('location')?.split('/').at(-1) ?? ''
  const cookie = headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  // The user has signed in already, so this redirect leads to the page.
  await go('GET', '/openid4vci/authorize/callback', { query: { state: `${id}.x` }, headers: { cookie } })
  const { text } = await go('GET', '/openid4vci/authorize/{id}', { at: { id }, headers: { cookie } })
  const token = /name="token" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const form = { decision: 'accept', token }
  await go('POST', '/openid4vci/authorize/{id}', { at: { id }, headers: { cookie }, form })
  await go('GET', '/pages/style.css')
  await go('GET', '/pages/language', { query: { to: 'de' } })
  await go('GET', '/pages/live.js')
}

async function visitWallet({ go }: Bound, holderId: string): Promise<void> {
  const { offering_full_url: uri } = await go('POST', '/api/v1/offerings', {
    body: { credential_type: SCHEMA.name, credential_subject: SUBJECT },
  })
  await go('POST', '/holders/{holderId}/process', { at: { holderId }, body: { uri } })
  const [held] = await go('GET', '/holders/{holderId}/credentials', { at: { holderId } })
  await go('GET', '/holders/{holderId}/credentials/{credentialId}', { at: { holderId, credentialId: held.id } })
}

/** A user opens a share page, presents with a hosted wallet, and returns to the page. */
async function visitPresentPage({ go }: Bound, holderId: string): Promise<void> {
  const asked = await go('POST', '/authorization-requests', {
    body: { query: QUERY, redirectUri: 'https://shop.example.org/return', page: true, ...NAMES },
  })
  const page = { id: idOf(asked.pageUrl) }
  const { headers } = await go('GET', '/present/{id}', { at: page })
  await go('GET', '/present/{id}/events', { at: page })
  const { redirectUri } = await go('POST', '/holders/{holderId}/process', {
    at: { holderId },
    body: { uri: asked.request_uri },
  })
  const response_code = new URL(redirectUri).searchParams.get('response_code') ?? ''
  const cookie = headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  await go('GET', '/present/{id}/return', { at: page, query: { response_code }, headers: { cookie } })
}

/** A user declines a request on its share page. */
async function declineOnPage({ go }: Bound): Promise<void> {
  const asked = await go('POST', '/authorization-requests', {
    body: { query: QUERY, page: true, purpose: 'Members pay less.' },
  })
  const page = { id: idOf(asked.pageUrl) }
  const { headers, text } = await go('GET', '/present/{id}', { at: page })
  const cookie = headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const token = /name="token" value="([^"]+)"/.exec(text)?.[1] ?? ''
  await go('POST', '/present/{id}/decline', { at: page, headers: { cookie }, form: { token } })
}

async function visitVerifier({ go, service }: Bound, holderId: string): Promise<void> {
  const { id } = await go('POST', '/api/v1/verifier/vp-queries', { body: { query: QUERY, name: 'Any purchase' } })
  await go('GET', '/api/v1/verifier/vp-queries')
  await go('GET', '/api/v1/verifier/vp-queries/{id}', { at: { id } })
  const asked = await go('POST', '/api/v1/verifier/vp-queries/{id}/authorization-request', {
    at: { id },
    body: { redirect_uri: 'https://shop.example.org/return', validity: 300, keepEvidence: true },
  })
  const code = { id: String(asked.qr_code_url).split('/').at(-1) ?? '' }
  await go('GET', '/api/v1/verifier/qr-codes/{id}', { at: code })
  await go('GET', '/api/v1/verifier/qr-codes/image', { query: { url: asked.qr_code_url } })
  const request = { id: String(asked.request_uri).split('/').at(-1) ?? '' }
  const session = { sessionId: String(asked.verificationSessionId) }
  await go('GET', '/openid4vp/requests/{id}', { at: request })
  await go('POST', '/openid4vp/requests/{id}', { at: request, form: { wallet_nonce: 'qPmxiNFCR3QTm19POc8u' } })
  await go('GET', '/verification-sessions/{sessionId}/events', { at: session })
  const { redirectUri } = await go('POST', '/holders/{holderId}/process', {
    at: { holderId },
    body: { uri: asked.request_uri },
  })
  await go('GET', '/verification-sessions/{sessionId}', { at: session })
  const response_code = new URL(redirectUri).searchParams.get('response_code') ?? ''
  await go('GET', '/verification-sessions/{sessionId}/result', { at: session, query: { response_code } })
  await go('GET', '/holders/{holderId}/presentations', { at: { holderId } })
  await go('GET', '/api/v1/verification-sessions', { query: { limit: '1' } })
  await go('GET', '/api/v1/verification-sessions/{sessionId}/checks', { at: session })
  await go('GET', '/api/v1/verification-sessions/{sessionId}/evidence', { at: session })
  await go('POST', '/verification-sessions/{sessionId}/erase', { at: session })

  await visitPresentPage({ go, service }, holderId)
  await declineOnPage({ go, service })
  const refused = await go('POST', '/authorization-requests', { body: { query: QUERY, responseMode: 'direct_post' } })
  const { state } = JSON.parse(
    Buffer.from(
      (await service.request('GET', new URL(refused.request_uri).pathname)).text.split('.')[1] ?? '',
      'base64url',
    ).toString(),
  )
  await go('POST', '/openid4vp/responses/{id}', {
    at: { id: String(refused.request_uri).split('/').at(-1) ?? '' },
    form: { state, error: 'access_denied' },
  })
  await go('DELETE', '/api/v1/verifier/qr-codes/{id}', { at: code })
  await go('DELETE', '/api/v1/verifier/vp-queries/{id}', { at: { id } })
}

/** A page sends a request over the Digital Credentials API, and the user declines. */
async function visitPage({ go }: Bound): Promise<void> {
  const asked = await go('POST', '/authorization-requests', {
    body: { query: QUERY, responseMode: 'dc_api.jwt', expectedOrigins: ['https://shop.example.org'] },
  })
  await go('POST', '/openid4vp/dc-api/{id}', {
    at: { id: String(asked.response_uri).split('/').at(-1) ?? '' },
    body: { protocol: asked.digitalCredentialRequest.protocol, data: { error: 'access_denied' } },
  })
}

/** A person authorizes a payment with a credential. */
async function visitPayment({ go, service }: Bound, did: string): Promise<void> {
  const vct = `${service.url}/vct/${SCHEMA.name}`
  const { authorizationRequestUri: qrContent } = await go('POST', '/authorization-requests', {
    body: {
      dcqlQuery: { credentials: [{ id: 'purchase', format: 'dc+sd-jwt', meta: { vct_values: [vct] } }] },
      transactionData: [{ type: 'urn:example:payment', credential_ids: ['purchase'], amount: '12.00 EUR' }],
    },
  })
  const { authorizationRequestUri: other } = await go('POST', '/authorization-requests', {
    body: {
      dcqlQuery: { credentials: [{ id: 'purchase', format: 'dc+sd-jwt', meta: { vct_values: [vct] } }] },
      redirectUri: 'https://shop.example/done',
    },
  })
  const { data } = await go('POST', '/flows', { body: { qrContent, did } })
  await go('POST', '/flows/{processId}/confirm', {
    at: { processId: data.processId },
    body: { type: 'presentation', selectedCredential: data.matchingCredentials[0] },
  })
  const declined = await go('POST', '/flows', { body: { qrContent: other, did } })
  await go('POST', '/flows/{processId}/decline', { at: { processId: declined.data.processId } })
}

async function visitExports({ go }: Bound): Promise<void> {
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

async function visitFlows({ go, service }: Bound, holderId: string, did: string): Promise<void> {
  await visitPayment({ go, service }, did)
  await visitPage({ go, service })
  const { offering_full_url: qrContent } = await go('POST', '/api/v1/offerings', {
    body: { credential_type: SCHEMA.name, credential_subject: SUBJECT },
  })
  const { data } = await go('POST', '/flows', { body: { qrContent, did } })
  await go('POST', '/flows/{processId}/confirm', {
    at: { processId: data.processId },
    body: { type: 'claim', selectedCredential: {} },
  })
  const [held] = await go('GET', '/holders/{holderId}/credentials', { at: { holderId } })
  await go('DELETE', '/holders/{holderId}/credentials/{credentialId}', { at: { holderId, credentialId: held.id } })
}

const PUBLIC = [
  '/',
  '/version',
  '/health/liveness',
  '/health/readiness',
  '/.well-known/openid-credential-issuer',
  '/.well-known/oauth-authorization-server',
  '/.well-known/jwks.json',
  '/.well-known/did-configuration',
  '/.well-known/did-configuration.json',
  '/.well-known/jwt-vc-issuer',
  '/api-docs',
  '/api-docs-json',
]

interface Bound {
  readonly service: TestService
  readonly go: Tourist['go']
}

/**
 * Calls every operation of the API at least once, in an order in which each call succeeds.
 *
 * @param before is called before each call of an operation
 */
export async function tour(
  service: TestService,
  before: (visit: Visit) => Promise<void> = async () => {},
): Promise<readonly Visited[]> {
  const authorization = await service.bearer('alice', { roles: ['admin'] })
  const tourist = new Tourist(service, authorization, before)
  const bound: Bound = { service, go: (...there) => tourist.go(...there) }
  const { holder, did } = await visitAgent(bound)
  await visitIssuer(bound)
  await visitSuspension(bound)
  await visitClaimsSource(bound)
  await visitWebhooks(bound)
  await visitOpenid4vci(bound)
  await visitDeferred(bound)
  await visitAuthorization(bound)
  await visitWallet(bound, holder)
  await visitVerifier(bound, holder)
  await visitFlows(bound, holder, did)
  await visitExports(bound)
  for (const path of PUBLIC) await bound.go('GET', path)
  await bound.go('GET', '/.well-known/openid-credential-issuer', { headers: { accept: 'application/jwt' } })
  return tourist.visited
}
