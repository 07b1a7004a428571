import { newPkce } from '../../issuer/openid4vci/browser.js'
import { encryptFor, newAnswerKey, requestKey } from '../../issuer/openid4vci/encryption-actors.js'
import { newWallet } from '../../support/wallet-actor.js'
import type { Tourist } from '../tourist.js'
import { type Bound, idOf, NAMES, PRE_AUTHORIZED, SCHEMA, SUBJECT } from './purchase.js'

async function visitReceivePage(go: Tourist['go'], credentialOfferSessionId: string): Promise<void> {
  const made = await go('POST', '/pages', { body: { credentialOfferSessionId } })
  const page = { id: idOf(made.url) }
  await go('GET', '/receive/{id}', { at: page })
  await go('GET', '/receive/{id}/events', { at: page })
}

/** A wallet takes credentials with a pre-authorized code. */
export async function visitOpenid4vci({ go, service }: Bound): Promise<void> {
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

/** A wallet waits for the decision of the issuer. */
export async function visitDeferred({ go, service }: Bound): Promise<void> {
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

/** A wallet gets a code after a person has accepted on a page. */
export async function visitAuthorization({ go }: Bound): Promise<void> {
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
