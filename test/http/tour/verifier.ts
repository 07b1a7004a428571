import { type Bound, idOf, NAMES, QUERY } from './purchase.js'

/** A verifier stores a query, asks, and reads results and evidence. */
export async function visitVerifier({ go, service }: Bound, holderId: string): Promise<void> {
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

/** A page sends a request over the Digital Credentials API, and the user declines. */
export async function visitPage({ go }: Bound): Promise<void> {
  const asked = await go('POST', '/authorization-requests', {
    body: { query: QUERY, responseMode: 'dc_api.jwt', expectedOrigins: ['https://shop.example.org'] },
  })
  await go('POST', '/openid4vp/dc-api/{id}', {
    at: { id: String(asked.response_uri).split('/').at(-1) ?? '' },
    body: { protocol: asked.digitalCredentialRequest.protocol, data: { error: 'access_denied' } },
  })
}
