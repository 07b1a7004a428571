import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { zShownFormatName } from '../../formats/contract.js'
import type { Formats } from '../../formats/registry.js'
import { zPartyRegistration } from '../registration/registration.contract.js'

const MAX_CONTENT = 65_536

const zJsonObject = z.record(z.string(), z.unknown())

export const zFlowType = z.enum(['claim', 'presentation'])

const zClaimData = z.object({
  processId: z.uuid(),
  status: z.literal('initialized'),
  offering: z.object({ credential_type: z.string(), credential_subject: zJsonObject }),
  errorMessage: z.string().optional().meta({ description: 'The reason why the offer cannot be taken now.' }),
  issuer: z
    .object({ id: z.string() })
    .optional()
    .meta({ description: 'The credential issuer identifier. Absent for an offering of this installation.' }),
  registration: zPartyRegistration.optional().meta({
    description:
      'The registration of the issuer. Show it to the person who confirms. Absent for an offering of this installation.',
  }),
})

const zMatchingCredential = (formats: Formats) =>
  z.object({
    id: z.uuid(),
    format: zShownFormatName(formats.all),
    type: z.array(z.string()),
    issuer: z.string(),
    credentialSubject: zJsonObject,
    expirationDate: z.string().optional(),
  })

const zPresentationData = (formats: Formats) =>
  z.object({
    processId: z.uuid(),
    status: z.literal('initialized'),
    verifier: z.object({ id: z.string(), name: z.string().optional(), logoUri: z.string().optional() }),
    registration: zPartyRegistration.meta({
      description: 'The registration of the verifier. Show it to the person who confirms, with everything beyond it.',
    }),
    query: zJsonObject.meta({ description: 'The request of the verifier, as a DCQL query (OpenID4VP 1.0 §6).' }),
    transactionData: z.array(zJsonObject).optional().meta({
      description:
        'Transactions to authorize, such as a payment (OpenID4VP 1.0 §8.4). Show them in full to the person who confirms.',
    }),
    matchingCredentials: z.array(zMatchingCredential(formats)),
  })

export const startFlow = (formats: Formats) => ({
  meta: route('POST', '/flows', {
    tag: 'Flows',
    summary: 'Start a claim or a presentation from the content of a QR code',
    description:
      'The service reads the content and asks the issuer or verifier for details. Nothing is claimed or presented until the flow is ' +
      'confirmed, within ten minutes.',
    access: 'user',
    idempotent: true,
    status: 201,
    errors: [400, errors.holderDenied(), errors.offeringNotFound()],
  }),
  input: z.strictObject({
    qrContent: z.string().min(1).max(MAX_CONTENT).meta({
      description:
        'A credential offer, an authorization request, an https address of either, or the address of a QR code of this service.',
      example:
        'openid4vp://?client_id=decentralized_identifier%3Adid%3Aweb%3Averifier.example&request_uri=https%3A%2F%2F…',
    }),
    did: z
      .string()
      .min(1)
      .max(4096)
      .meta({ description: "The caller's DID: a DID of a hosted holder, or a DID in the access token." }),
  }),
  output: z.discriminatedUnion('flowType', [
    z.object({ flowType: z.literal('claim'), data: zClaimData }),
    z.object({ flowType: z.literal('presentation'), data: zPresentationData(formats) }),
  ]),
})

/** The response to a new flow. */
export type StartedFlow = z.input<ReturnType<typeof startFlow>['output']>

export const confirmFlow = {
  meta: route('POST', '/flows/{processId}/confirm', {
    tag: 'Flows',
    summary: 'Confirm a started flow: the credential is claimed or presented',
    description:
      'After a failed confirmation, the flow stays open for another attempt. A flow that was confirmed or declined is a 409. If the ' +
      'issuer defers credentials, `data.deferred` is their number; the wallet asks for them on its own. Confirming a presentation ' +
      'authorizes the transaction data that the start of the flow returned.',
    access: 'user',
    errors: [
      400,
      errors.holderDenied(),
      errors.flowNotFound(),
      errors.flowEnded('confirmed'),
      errors.offeringExpired(),
    ],
  }),
  input: z.strictObject({
    processId: z.string(),
    type: zFlowType,
    // Clients return the choice unchanged. The claims in the choice are neither stored nor read.
    selectedCredential: zJsonObject
      .meta({
        description:
          'The choice. For a presentation, its `id` names one of the matching credentials, and its other members are ignored. For a ' +
          'claim, any object is accepted.',
      })
      .transform(({ id }) => ({ id })),
    txCode: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'The transaction code, if the offer requires one.' }),
  }),
  output: z.object({ status: z.literal('confirmed'), message: z.string(), data: zJsonObject.optional() }),
}

export const declineFlow = {
  meta: route('POST', '/flows/{processId}/decline', {
    tag: 'Flows',
    summary: 'Decline a started flow: nothing is claimed or presented',
    description:
      'The flow ends. The verifier of a presentation receives `access_denied` (OpenID4VP 1.0 §8.5). `data.redirectUri` is where the ' +
      'verifier sends the person next, if it names an address. The flow ends even if the verifier cannot be reached. An issuer is not ' +
      'notified.',
    access: 'user',
    errors: [errors.flowNotFound(), errors.flowEnded('confirmed')],
  }),
  input: z.strictObject({ processId: z.string() }),
  output: z.object({
    status: z.literal('declined'),
    message: z.string(),
    data: z.object({ redirectUri: z.string() }).optional(),
  }),
}
