import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { listShape, zListed } from '../../api/paging.js'
import { zWalletUrl } from '../../protocol/oauth/redirect-uri.js'
import { zSubject } from '../credentials/credentials.contract.js'
import { OFFER_PROFILES } from '../openid4vci/offer-profile.js'
import { CREDENTIAL_OFFER_STATES } from '../openid4vci/sessions/session.js'
import { zTxCodeRequest } from '../openid4vci/tx-code.js'

const MAX_VALIDITY_SECONDS = 2_592_000

const zDeferred = z.enum(['pending', 'approved', 'rejected'])

export const zCredentialOfferSession = z.object({
  id: z.uuid(),
  state: z.enum(CREDENTIAL_OFFER_STATES),
  issuerId: z.string(),
  credentialConfigurationIds: z.array(z.string()),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  errorMessage: z.string().optional(),
  deferred: zDeferred.optional().meta({
    description: 'Of a deferred offer, once a wallet has asked for it and waits (`pending`) or it was decided over.',
  }),
})

export const createCredentialOffer = {
  meta: route('POST', '/credential-offers', {
    tag: 'Credential offers',
    summary: 'Make a credential offer for one wallet and watch it as a session',
    description:
      'For one redemption. The answer holds the offer by reference and by value, and the transaction code where one ' +
      'was asked for: it is not shown again.',
    access: 'issuer',
    status: 201,
    errors: [400],
  }),
  input: z.strictObject({
    credentialConfigurationIds: z.array(z.string().min(1)).min(1).max(20),
    credentialSubject: zSubject,
    issuerId: z.string().optional(),
    txCode: zTxCodeRequest.optional().meta({ description: 'Ask for a transaction code; the answer holds it.' }),
    grant: z.enum(['pre-authorized_code', 'authorization_code']).optional().meta({
      description: 'How a wallet gets its token: by the code in the offer (default), or after its user has agreed.',
    }),
    forSubject: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .meta({ description: 'The `sub` of the user who may take it, with the authorization code.' }),
    deferred: z.boolean().optional().meta({
      description: 'Wallets wait until the offer was approved or rejected (OpenID4VCI 1.0 §9). Default false.',
    }),
    profile: z
      .enum(OFFER_PROFILES)
      .optional()
      .meta({
        description:
          'What wallets must keep to: OpenID4VCI 1.0 (`final`), or HAIP 1.0 as well (`haip`), which has authorization codes ' +
          'alone. That of the installation by default. A draft of OpenID4VCI where ISSUER_LEGACY_PROFILES opens it.',
      }),
    walletUrl: zWalletUrl.optional().meta({
      description:
        'What the address of the offer begins with; `openid-credential-offer://`, or `haip-vci://`, by default.',
    }),
    page: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether there is a page for people to be sent to (`pageUrl`), as POST /pages makes one. The QR code on it then holds its ' +
          'address, so that a camera without a wallet finds it; the page leads on to the offer.',
      }),
    expiresInSeconds: z.int().min(1).max(MAX_VALIDITY_SECONDS).optional().meta({ description: 'Default 86,400.' }),
  }),
  output: z.object({
    credentialOfferSessionId: z.uuid(),
    credentialOfferUri: z.string().meta({ description: 'Address of the offer by reference, for a link or QR code.' }),
    credentialOffer: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The same offer by value; its code is good for ten minutes.' }),
    txCode: z.string().optional(),
    pageUrl: z.url().optional().meta({ description: 'The page for people, where one was asked for.' }),
  }),
}

export const readCredentialOfferSession = {
  meta: route('GET', '/credential-offer-sessions/{id}', {
    tag: 'Credential offers',
    summary: 'Read a credential-offer session',
    description:
      'For the caller that created it. The session of somebody else is an unknown one: a 500, as for every unknown ' +
      'session.',
    access: 'issuer',
    errors: [400, errors.credentialOfferSessionNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: zCredentialOfferSession,
}

export const listCredentialOfferSessions = {
  meta: route('GET', '/api/v1/credential-offer-sessions', {
    tag: 'Credential offers',
    summary: 'List credential-offer sessions',
    description: 'Those of all callers, the newest first. Nothing that a wallet could take the offer with is in it.',
    access: 'issuerOperator',
    errors: [400, errors.credentialOfferSessionNotFound()],
  }),
  input: z
    .strictObject({
      state: z.enum(CREDENTIAL_OFFER_STATES).optional(),
      deferred: zDeferred.optional().meta({
        description:
          'Deferred offers alone: those whose wallets wait for a decision, or that were decided over in this way.',
      }),
      ...listShape,
    })
    .prefault({}),
  output: zListed(
    zCredentialOfferSession.extend({ createdBy: z.string().meta({ description: 'The `sub` that made the offer.' }) }),
  ),
}

const MAX_REASON = 300

const DECISION =
  'For who made the offer, and admins. It may be decided before a wallet has asked for it. A second decision, one over an ' +
  'offer that has ended, and one over an offer that is not deferred are a 409.'

export const approveCredentialOffer = {
  meta: route('POST', '/credential-offer-sessions/{id}/approve', {
    tag: 'Credential offers',
    summary: 'Approve a deferred credential offer',
    description: `${DECISION} The wallet that waits gets its credentials when it asks the next time: they are signed then.`,
    access: 'issuer',
    errors: [400, errors.offerDecided('approved'), errors.credentialOfferSessionNotFound()],
  }),
  input: z.strictObject({
    id: z.string(),
    credentialSubject: zSubject.optional().meta({ description: 'In the place of the offered one.' }),
  }),
  output: zCredentialOfferSession,
}

export const rejectCredentialOffer = {
  meta: route('POST', '/credential-offer-sessions/{id}/reject', {
    tag: 'Credential offers',
    summary: 'Reject a deferred credential offer',
    description: `${DECISION} The session ends in Error, and its redemption stays counted.`,
    access: 'issuer',
    errors: [400, errors.offerDecided('approved'), errors.credentialOfferSessionNotFound()],
  }),
  input: z.strictObject({
    id: z.string(),
    reason: z
      .string()
      .min(1)
      .max(MAX_REASON)
      .optional()
      .meta({ description: 'The errorMessage of the session; the wallet is not told.' }),
  }),
  output: zCredentialOfferSession,
}

export const credentialOfferSessionEvents = {
  meta: route('GET', '/credential-offer-sessions/{id}/events', {
    tag: 'Credential offers',
    summary: 'Server-Sent Events of a credential-offer session',
    description:
      'Events named `session` hold the session as JSON: its current state at once, then every change. Every 15 ' +
      'seconds a `ping` with the data `keepalive`. The stream stays open until the access token expires; ' +
      '`Last-Event-ID` brings what was missed.',
    access: 'issuer',
    kind: 'events',
    produces: 'text/event-stream',
    event: zCredentialOfferSession,
    errors: [400, errors.credentialOfferSessionNotFound()],
  }),
  input: z.strictObject({ id: z.string(), lastEventId: z.string().optional() }),
}
