import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { LAST_WRITTEN_MOMENT } from '../../api/moment.js'
import { pageShape } from '../../api/paging.js'
import { nameFilters, namesShape } from '../../names/names.js'
import {
  zClaimsErasedAt,
  zCredentialRecord,
  zCredentialResponse,
  zSubject,
} from '../credentials/credentials.contract.js'
import { zExpiresInDays, zTypeName, zValidFrom } from '../schemas/schemas.contract.js'

const offeringShape = {
  id: z.uuid(),
  credential_issuer: z.url(),
  credential_configuration_ids: z.array(z.string()),
  display: z.object({ locale: z.string(), name: z.string() }).optional(),
  grants: z.object({ authorization_code: z.object({ issuer_state: z.string() }) }).optional(),
  credential_subject: z.record(z.string(), z.unknown()).optional(),
  recipient: z.string().optional(),
  redemption_limit: z.number().nullable().optional(),
  expires_at: z.iso.datetime().nullable().optional(),
  claimsErasedAt: zClaimsErasedAt,
  ...namesShape,
}

const zOffering = z.object(offeringShape)

const zRedemption = z.object({
  id: z.uuid(),
  offering_id: z.uuid(),
  credential_id: z.uuid(),
  recipient_did: z.string().meta({ description: 'Empty if the caller who redeemed it has no DID.' }),
  redeemed_at: z.iso.datetime(),
  offering: zOffering,
  credential: zCredentialRecord,
})

export const zOfferingListed = zOffering.extend({ redemptions: z.array(zRedemption).optional() })

export const zOfferingDetail = zOffering.extend({
  qr_code_url: z.url(),
  offering_id: z.uuid(),
  offering_full_url: z.string(),
})

export const listOfferings = {
  meta: route('GET', '/api/v1/offerings', {
    tag: 'Offerings',
    summary: 'List offerings',
    description:
      'Without authentication: the offerings that anyone may claim any number of times. With a Bearer token: the same offerings, with the caller’s own ' +
      'redemptions. For operators of issuing: all offerings. An offering lists its newest 100 redemptions. A page ends early ' +
      'if its offerings would list more than 1,000 redemptions together. The next page continues as usual. Names are shown, and found, ' +
      'only to these operators.',
    access: 'optional',
    errors: [400],
  }),
  input: z.strictObject({ ...pageShape, ...nameFilters }).prefault({}),
  output: z.array(zOfferingListed),
}

export const createOffering = {
  meta: route('POST', '/api/v1/offerings', {
    tag: 'Offerings',
    summary: 'Create an offering with a QR code',
    description:
      "The subject is checked against the active version of the type's schema. The offering keeps this version. If " +
      '`recipient` is given, only the recipient may redeem it; otherwise everyone with the QR code. It can be redeemed `redemption_limit` times, until `expires_at`.',
    access: 'issuerClient',
    idempotent: true,
    status: 201,
    errors: [400, errors.schemaNotFound()],
  }),
  input: z.strictObject({
    credential_type: zTypeName,
    credential_subject: zSubject,
    recipient: z
      .string()
      .refine((value) => /^did:[a-z0-9]+:\S+$/.test(value), { error: 'must be a DID' })
      .optional(),
    redemption_limit: z.int().min(1).max(2_147_483_647).nullable().optional(),
    expires_at: z.iso
      .datetime({ offset: true, error: 'must be an ISO 8601 date-time' })
      .refine((value) => new Date(value).getTime() <= LAST_WRITTEN_MOMENT, {
        error: 'must lie before the year 10000 (UTC)',
      })
      .nullable()
      .optional(),
    issuerId: z.string().optional(),
    expiresInDays: zExpiresInDays.optional().meta({
      description: 'Days from issuance to expiry of its credentials. Default: `expiresInDays` of the schema.',
    }),
    validFrom: zValidFrom.optional(),
    ...namesShape,
  }),
  output: zOfferingDetail,
}

export const readOffering = {
  meta: route('GET', '/api/v1/offerings/{id}', {
    tag: 'Offerings',
    summary: 'Read an offering',
    description:
      'Everyone who knows the id may read it. The subject of an offering for a recipient is shown only to the recipient, ' +
      'and to operators of issuing.',
    access: 'optional',
    errors: [400, errors.offeringNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: zOfferingDetail,
}

export const offeringQrCode = {
  meta: route('GET', '/api/v1/offerings/{id}/qr-code', {
    tag: 'Offerings',
    summary: 'The QR code of an offering as a data URI',
    description:
      'A JSON string: the image as a data URI. It encodes `offering_full_url`, the URL that a wallet opens. If `Accept` prefers ' +
      'an image type, the answer is the image itself. If `Accept` prefers HTML, as in browsers, the answer redirects to a share page, which is made on demand.',
    access: 'optional',
    open: true,
    alsoProduces: ['image/png', 'image/svg+xml'],
    leadsToPage: true,
    errors: [400, errors.offeringNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: z.string().meta({ example: 'data:image/png;base64,iVBORw0KGgo…' }),
}

export const claimOffering = {
  meta: route('POST', '/api/v1/offerings/{id}/claim', {
    tag: 'Offerings',
    summary: 'Claim a credential from an offering',
    description:
      "Counts as one redemption. The credential is bound to the caller's DID, if the caller has exactly one, and belongs to " +
      'the caller.',
    access: 'user',
    idempotent: true,
    errors: [
      400,
      errors.anotherRecipient(),
      errors.offeringNotFound(),
      errors.redemptionLimitReached(),
      errors.offeringExpired(),
    ],
  }),
  input: z.strictObject({ id: z.string() }),
  output: zCredentialResponse,
}
