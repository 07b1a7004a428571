import { type Bound, SCHEMA, SUBJECT } from './purchase.js'
import { visitPage } from './verifier.js'

/** A hosted wallet takes an offering. */
export async function visitWallet({ go }: Bound, holderId: string): Promise<void> {
  const { offering_full_url: uri } = await go('POST', '/api/v1/offerings', {
    body: { credential_type: SCHEMA.name, credential_subject: SUBJECT },
  })
  await go('POST', '/holders/{holderId}/process', { at: { holderId }, body: { uri } })
  const [held] = await go('GET', '/holders/{holderId}/credentials', { at: { holderId } })
  await go('GET', '/holders/{holderId}/credentials/{credentialId}', { at: { holderId, credentialId: held.id } })
}

/** A hosted wallet confirms and declines in flows. */
export async function visitFlows({ go, service }: Bound, holderId: string, did: string): Promise<void> {
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
