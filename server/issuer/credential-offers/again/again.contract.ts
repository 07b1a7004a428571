import { z } from 'zod'
import { route } from '../../../api/contract.js'
import { errors } from '../../../api/errors.js'
import { zTxCodeRequest } from '../../openid4vci/tx-code.js'
import { zCredentialOfferSession, zUndecided } from '../credential-offers.contract.js'

const MAX_REASON = 300

const WHO = 'For the creator of the offer and for operators. For any other caller the offer is unknown.'

const zOfferAgain = zCredentialOfferSession.extend({
  ...zUndecided.shape,
  createdBy: z.string().meta({ description: 'The `sub` of the caller that created the offer.' }),
  grant: z.enum(['pre-authorized_code', 'authorization_code']).meta({ description: 'How a wallet gets its token.' }),
  reason: z.string().optional().meta({ description: 'The reason of a cancelled offer.' }),
  credentialOfferUri: z
    .string()
    .optional()
    .meta({ description: 'URI of the offer by reference, for a link or QR code; only while the offer is open.' }),
  qrCode: z
    .string()
    .optional()
    .meta({ description: 'QR code of `credentialOfferUri` as a data URI; only while the offer is open.' }),
  pageUrl: z.url().optional().meta({ description: 'URL of the share page, if the open offer has one.' }),
  txCode: z.string().optional().meta({
    description: 'The transaction code, if the open offer has one. Codes of versions before 0.2.0 were not stored.',
  }),
  txCodeLocked: z.boolean().optional().meta({
    description:
      'True if wrong transaction codes locked the offer. A resend opens it again, with a new transaction code.',
  }),
})

export const readCredentialOffer = {
  meta: route('GET', '/api/v1/credential-offers/{id}', {
    tag: 'Credential offers',
    summary: 'Read a credential offer again',
    description: `${WHO} While a wallet can take the offer, the answer contains its address, QR code, share page and transaction code. Afterwards it contains only the state.`,
    access: 'clientOrIssuer',
    errors: [400, errors.credentialOfferNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: zOfferAgain,
}

export const cancelCredentialOffer = {
  meta: route('POST', '/api/v1/credential-offers/{id}/cancel', {
    tag: 'Credential offers',
    summary: 'Cancel a credential offer',
    description:
      `${WHO} The session ends in Error with \`Offer cancelled.\`, and no wallet can take the offer any more. A wallet that already has a ` +
      'token, or waits for a decision, gets nothing either. A repeat changes nothing. The answer is a 409 for an offer that was taken or has ended.',
    access: 'clientOrIssuer',
    errors: [400, errors.credentialOfferNotFound(), errors.offerTaken()],
  }),
  input: z.strictObject({
    id: z.string(),
    reason: z.string().min(1).max(MAX_REASON).optional().meta({
      description: 'Stored encrypted. Only the creator and operators see it, never a wallet.',
    }),
  }),
  output: zOfferAgain,
}

export const resendCredentialOffer = {
  meta: route('POST', '/api/v1/credential-offers/{id}/resend', {
    tag: 'Credential offers',
    summary: 'Give a credential offer a new link',
    description:
      `${WHO} The offer keeps its session and its claims. Its earlier address, share page, codes and tokens are dead at once, and its ` +
      'time begins again. The session returns to Created. An offer that wrong transaction codes locked is open again, with a new code. The answer is a 409 for an offer that was taken, waits for a decision, or has ended.',
    access: 'clientOrIssuer',
    idempotent: true,
    errors: [400, errors.credentialOfferNotFound(), errors.offerTaken()],
  }),
  input: z.strictObject({
    id: z.string(),
    txCode: zTxCodeRequest.optional().meta({
      description:
        'Requests a new transaction code. Without it, an earlier transaction code stays valid, unless it is locked.',
    }),
  }),
  output: zOfferAgain,
}
