import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { listShape, mineShape, zListed } from '../../api/paging.js'
import { nameFilters, namesShape } from '../../names/names.js'
import { zWalletUrl } from '../../protocol/oauth/redirect-uri.js'
import { zClaimsErasedAt, zSubject } from '../credentials/credentials.contract.js'
import { OFFER_PROFILES } from '../openid4vci/offer-profile.js'
import { CREDENTIAL_OFFER_STATES } from '../openid4vci/sessions/session.js'
import { zTxCodeRequest } from '../openid4vci/tx-code.js'
import { zExpiresInDays, zValidFrom } from '../schemas/schemas.contract.js'

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
    description: 'Only for a deferred offer: `pending` while a wallet waits, then the decision.',
  }),
  claimsErasedAt: zClaimsErasedAt,
  ...namesShape,
})

/** The members of a deferred offer that only callers who may decide it receive. */
export const zUndecided = z.object({
  credentialSubject: zSubject.optional().meta({
    description: 'The claims of a deferred offer before the decision. Only callers who may decide receive them.',
  }),
  ...namesShape,
})

const zOfferSessionWithCreator = zCredentialOfferSession.extend({
  createdBy: z.string().meta({ description: 'The `sub` of the caller that created the offer.' }),
})

export const createCredentialOffer = {
  meta: route('POST', '/credential-offers', {
    tag: 'Credential offers',
    summary: 'Create a credential offer for one wallet, with a session',
    description:
      'The offer has one redemption. The answer contains the offer by reference and by value, and the transaction code if one ' +
      'was requested. The code is not shown again.',
    requestExample: {
      credentialConfigurationIds: ['ProofOfPurchase'],
      credentialSubject: { productName: 'Espresso machine', merchant: 'Corner Shop', purchaseDate: '2026-11-21' },
      reference: 'M-2026-0042',
    },
    access: 'issuer',
    idempotent: true,
    status: 201,
    errors: [400, errors.schemaDenied()],
  }),
  input: z.strictObject({
    credentialConfigurationIds: z.array(z.string().min(1)).min(1).max(20),
    credentialSubject: zSubject.optional().meta({
      description: 'The claims. Required, unless `claims` is `atIssuance`.',
    }),
    claims: z
      .literal('atIssuance')
      .optional()
      .meta({
        description:
          'The claims source of the type is asked for the claims when a wallet takes the credential. The offer has no claims, and ' +
          'needs a `reference` or a `forSubject`. Only for the owner of the type and for admins.',
      }),
    issuerId: z.string().optional(),
    txCode: zTxCodeRequest.optional().meta({ description: 'Requests a transaction code. The answer contains it.' }),
    grant: z.enum(['pre-authorized_code', 'authorization_code']).optional().meta({
      description:
        'How a wallet gets its token: by the code in the offer (default), or after its user has agreed in a browser.',
    }),
    forSubject: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .meta({ description: 'The `sub` of the user who may take the offer, with an authorization code.' }),
    deferred: z.boolean().optional().meta({
      description: 'Wallets wait until the offer is approved or rejected (OpenID4VCI 1.0 §9). Default false.',
    }),
    profile: z
      .enum(OFFER_PROFILES)
      .optional()
      .meta({
        description:
          'The rules for wallets: OpenID4VCI 1.0 (`final`), or HAIP 1.0 in addition (`haip`), which has only authorization ' +
          'codes. Default: the profile of the installation. A draft of OpenID4VCI is possible if ISSUER_LEGACY_PROFILES lists it.',
      }),
    walletUrl: zWalletUrl.optional().meta({
      description: 'The beginning of the offer URI. Default: `openid-credential-offer://`, or `haip-vci://`.',
    }),
    page: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether to make a share page (`pageUrl`), as POST /pages does. The QR code on the page contains the URL of the ' +
          'page, so that a camera without a wallet can open it. The page links to the offer.',
      }),
    expiresInDays: zExpiresInDays.optional().meta({
      description: 'Days from issuance to expiry of the credential. Default: `expiresInDays` of the schema.',
    }),
    validFrom: zValidFrom.optional(),
    expiresInSeconds: z.int().min(1).max(MAX_VALIDITY_SECONDS).optional().meta({ description: 'Default 86,400.' }),
    ...namesShape,
  }),
  output: z.object({
    credentialOfferSessionId: z.uuid(),
    credentialOfferUri: z.string().meta({ description: 'URI of the offer by reference, for a link or QR code.' }),
    credentialOffer: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The same offer by value. Its code expires after ten minutes.' }),
    txCode: z.string().optional(),
    pageUrl: z.url().optional().meta({ description: 'URL of the share page, if one was requested.' }),
  }),
}

export const readCredentialOfferSession = {
  meta: route('GET', '/credential-offer-sessions/{id}', {
    tag: 'Credential offers',
    summary: 'Read a credential-offer session',
    description:
      'For the caller that created the session, and for operators. For any other caller the session is unknown: a 500, as for ' +
      'every unknown session.',
    access: 'issuer',
    errors: [400, errors.credentialOfferSessionNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: zOfferSessionWithCreator,
}

export const listCredentialOfferSessions = {
  meta: route('GET', '/api/v1/credential-offer-sessions', {
    tag: 'Credential offers',
    summary: 'List credential-offer sessions',
    description:
      'Operators list the sessions of all callers, and other callers their own sessions, the newest first. The answer contains nothing with which a wallet could take an offer.',
    access: 'clientOrIssuer',
    errors: [400, errors.credentialOfferSessionNotFound()],
  }),
  input: z
    .strictObject({
      state: z.enum(CREDENTIAL_OFFER_STATES).optional(),
      deferred: zDeferred.optional().meta({
        description: 'Only deferred offers whose wallets wait for a decision (`pending`), or that have this decision.',
      }),
      withClaims: z.boolean().optional().meta({
        description:
          '`true` for `credentialSubject` of the deferred offers that the caller may decide. Claims beyond 2 MiB in one page are left out.',
      }),
      ...nameFilters,
      ...mineShape,
      ...listShape,
    })
    .prefault({}),
  output: zListed(zOfferSessionWithCreator.extend(zUndecided.shape)),
}

const MAX_REASON = 300

const zReason = z
  .string()
  .min(1)
  .max(MAX_REASON)
  .meta({ description: 'The errorMessage of the session. The wallet does not receive it.' })

const DECISION =
  'For the creator of the offer and for operators. The decision is possible before a wallet requests the credential. The answer is a 409 for a second ' +
  'decision, for an ended offer, and for an offer that is not deferred.'

export const approveCredentialOffer = {
  meta: route('POST', '/credential-offer-sessions/{id}/approve', {
    tag: 'Credential offers',
    summary: 'Approve a deferred credential offer',
    description: `${DECISION} The waiting wallet gets its credentials at its next request. They are signed at that time.`,
    access: 'issuer',
    errors: [400, errors.offerDecided('approved'), errors.credentialOfferSessionNotFound()],
  }),
  input: z.strictObject({
    id: z.string(),
    credentialSubject: zSubject
      .optional()
      .meta({ description: 'Replaces the offered subject. Required for an offer with `claims: "atIssuance"`.' }),
  }),
  output: zCredentialOfferSession,
}

export const rejectCredentialOffer = {
  meta: route('POST', '/credential-offer-sessions/{id}/reject', {
    tag: 'Credential offers',
    summary: 'Reject a deferred credential offer',
    description: `${DECISION} The session ends in Error, and its redemption still counts.`,
    access: 'issuer',
    errors: [400, errors.offerDecided('approved'), errors.credentialOfferSessionNotFound()],
  }),
  input: z.strictObject({
    id: z.string(),
    reason: zReason.optional(),
  }),
  output: zCredentialOfferSession,
}

export const credentialOfferSessionEvents = {
  meta: route('GET', '/credential-offer-sessions/{id}/events', {
    tag: 'Credential offers',
    summary: 'Server-Sent Events of a credential-offer session',
    description:
      'Events named `session` contain the session as JSON: first its current state, then every change. Every 15 ' +
      'seconds the stream sends a `ping` with the data `keepalive`. It stays open until the access token expires. ' +
      '`Last-Event-ID` requests the missed events.',
    access: 'issuer',
    kind: 'events',
    produces: 'text/event-stream',
    event: zCredentialOfferSession,
    errors: [400, errors.credentialOfferSessionNotFound()],
  }),
  input: z.strictObject({ id: z.string(), lastEventId: z.string().optional() }),
}

const MAX_DECISIONS = 200

export const decideCredentialOffers = {
  meta: route('POST', '/api/v1/credential-offer-decisions', {
    tag: 'Credential offers',
    summary: 'Approve or reject many deferred credential offers',
    description:
      'For the creators of the offers and for admins. Each offer is decided by itself, as by `approve` and `reject`. `outcomes` has the offers in the order of ' +
      '`ids`. If an offer cannot be decided, its outcome is `failed` with the sentence of the refusal. The other offers are decided nevertheless.',
    access: 'issuer',
    errors: [400],
  }),
  input: z
    .strictObject({
      decision: z.enum(['approve', 'reject']),
      ids: z
        .array(z.string().min(1).max(200))
        .min(1)
        .max(MAX_DECISIONS)
        .refine((ids) => new Set(ids).size === ids.length, { error: 'must not repeat itself' })
        .meta({ description: 'The ids of the credential-offer sessions.' }),
      reason: zReason.optional(),
    })
    .refine(({ decision, reason }) => decision === 'reject' || reason === undefined, {
      path: ['reason'],
      error: 'must not be given with the decision approve',
    }),
  output: z.object({
    outcomes: z.array(
      z.object({
        id: z.string(),
        outcome: z.enum(['approved', 'rejected', 'failed']),
        message: z.string().optional().meta({ description: 'Why the offer was not decided.' }),
      }),
    ),
  }),
}
