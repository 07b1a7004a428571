import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { zShownFormatName } from '../../formats/contract.js'
import type { Formats } from '../../formats/registry.js'

const MAX_CONTENT = 65_536

const zJsonObject = z.record(z.string(), z.unknown())

export const zFlowType = z.enum(['claim', 'presentation'])

const zClaimData = z.object({
  processId: z.uuid(),
  status: z.literal('initialized'),
  offering: z.object({ credential_type: z.string(), credential_subject: zJsonObject }),
  errorMessage: z.string().optional().meta({ description: 'Why the offer cannot be taken as things stand.' }),
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
    query: zJsonObject.meta({ description: 'What the verifier asks for, as a DCQL query (OpenID4VP 1.0 §6).' }),
    transactionData: z.array(zJsonObject).optional().meta({
      description:
        'What the verifier wants authorized, such as a payment (OpenID4VP 1.0 §8.4): to be shown whole to the person who confirms.',
    }),
    matchingCredentials: z.array(zMatchingCredential(formats)),
  })

export const startFlow = (formats: Formats) => ({
  meta: route('POST', '/flows', {
    tag: 'Flows',
    summary: 'Start a claim or a presentation with what a QR code says',
    description:
      'The content is looked at, and the other side asked what it is about; nothing is taken or presented before ' +
      'the flow is confirmed, within ten minutes.',
    access: 'user',
    status: 201,
    errors: [400, errors.holderDenied(), errors.offeringNotFound()],
  }),
  input: z.strictObject({
    qrContent: z.string().min(1).max(MAX_CONTENT).meta({
      description:
        'A credential offer, an authorization request, or an https address of either or of one of this service’s QR codes.',
      example:
        'openid4vp://?client_id=decentralized_identifier%3Adid%3Aweb%3Averifier.example&request_uri=https%3A%2F%2F…',
    }),
    did: z
      .string()
      .min(1)
      .max(4096)
      .meta({ description: "The caller's DID: of a hosted holder, or one that the access token names." }),
  }),
  output: z.discriminatedUnion('flowType', [
    z.object({ flowType: z.literal('claim'), data: zClaimData }),
    z.object({ flowType: z.literal('presentation'), data: zPresentationData(formats) }),
  ]),
})

/** What a started flow answers. */
export type StartedFlow = z.input<ReturnType<typeof startFlow>['output']>

export const confirmFlow = {
  meta: route('POST', '/flows/{processId}/confirm', {
    tag: 'Flows',
    summary: 'Confirm a started flow: the credential is claimed, or presented',
    description:
      'A failed confirmation leaves the flow open to be tried again; one that was confirmed or declined is a 409. Where the issuer ' +
      'defers credentials, `data.deferred` says how many: the wallet asks for them by itself. Whoever confirms a presentation ' +
      'authorizes the transaction data that the start of the flow showed.',
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
    // A choice comes back as it was shown: what its claims say is neither kept nor looked at.
    selectedCredential: zJsonObject
      .meta({
        description:
          'A choice: for a presentation its `id` names one of the matching credentials, and nothing else of it is used; for a claim any object will do.',
      })
      .transform(({ id }) => ({ id })),
    txCode: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'The transaction code of an offer that asks for one.' }),
  }),
  output: z.object({ status: z.literal('confirmed'), message: z.string(), data: zJsonObject.optional() }),
}

export const declineFlow = {
  meta: route('POST', '/flows/{processId}/decline', {
    tag: 'Flows',
    summary: 'Decline a started flow: nothing is claimed or presented',
    description:
      'The flow ends. The verifier of a presentation is told `access_denied` (OpenID4VP 1.0 §8.5), and `data.redirectUri` is where it ' +
      'sends the person next, where it says so; that it cannot be told changes nothing. An issuer is told nothing.',
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
