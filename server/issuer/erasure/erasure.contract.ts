import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'

export const zErased = z.object({
  id: z.string(),
  claimsErasedAt: z.iso
    .datetime()
    .meta({ description: 'When the claims were erased, also if an earlier call did it.' }),
})

const FINAL =
  'The claims are erased at once and for ever. Status, history and counts stay; the credential can still be revoked. A repeated ' +
  'call changes nothing.'

export const eraseCredential = {
  meta: route('POST', '/api/v1/credentials/{id}/erase', {
    tag: 'Credentials',
    summary: 'Erase the claims of a credential',
    description:
      `${FINAL} The subject of its credential offer is erased too, and wallets can no longer refresh the credential. For the ` +
      'caller that created, claimed or signed it, and for operators.',
    access: 'ownerOrIssuer',
    errors: [400, errors.credentialNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: zErased,
}

export const eraseOffering = {
  meta: route('POST', '/api/v1/offerings/{id}/erase', {
    tag: 'Offerings',
    summary: 'Erase the claims of an offering',
    description: `${FINAL} The offering can no longer be claimed. If it has one redemption, the claims of its credential are erased too.`,
    access: 'issuerClient',
    errors: [400, errors.offeringNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: zErased,
}

export const eraseCredentialOffer = {
  meta: route('POST', '/api/v1/credential-offers/{id}/erase', {
    tag: 'Credential offers',
    summary: 'Erase the claims of a credential offer',
    description:
      `${FINAL} No wallet can take the offer any more, and the claims of its credential are erased too. For the caller that ` +
      'created the offer, and for operators. The id is the id of its session.',
    access: 'ownerOrIssuer',
    errors: [400, errors.offeringNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: zErased,
}
