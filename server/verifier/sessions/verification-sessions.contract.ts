import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { listShape, mineShape, zListed } from '../../api/paging.js'
import { zShownFormatName } from '../../formats/contract.js'
import type { Formats } from '../../formats/registry.js'
import { nameFilters, namesShape } from '../../names/names.js'
import { PROFILE_NAMES } from '../openid4vp/profiles/profile.js'
import { CHECKS } from '../verify/check-done.js'
import { zAsk } from './checks.contract.js'
import { SESSION_STATES } from './session.js'

const zClaimsErasedAt = z.iso
  .datetime()
  .optional()
  .meta({ description: 'When the verified claims were erased: on request, or after SESSION_RESULT_TTL_SECONDS.' })

const zPurposeShown = z
  .string()
  .optional()
  .meta({ description: 'Why the verifier makes the request, as its share page says.' })

/** The verification session of the interface. */
export const zVerificationSession = z.object({
  id: z.string(),
  verifierId: z.string().meta({ description: 'DID of the verifier.' }),
  state: z.enum(SESSION_STATES),
  authorizationRequestId: z.string().optional(),
  authorizationRequestUri: z.string().meta({
    description: 'Empty over the Digital Credentials API, which has no such address.',
    example: 'openid4vp://?client_id=…&request_uri=…',
  }),
  authorizationResponseRedirectUri: z.string().optional(),
  expiresAt: z.iso.datetime().optional(),
  errorMessage: z.string().optional().meta({ description: 'Present when state is Error.' }),
  claimsErasedAt: zClaimsErasedAt,
  ...namesShape,
  purpose: zPurposeShown,
})

export const listVerificationSessions = {
  meta: route('GET', '/api/v1/verification-sessions', {
    tag: 'Verification sessions',
    summary: 'List verification sessions',
    description:
      'Operators list the sessions of all callers, and other callers their own sessions, newest first. Each entry has what its ' +
      'request asks for. The list holds neither presented data nor an address for answers.',
    access: 'clientOrVerifier',
    errors: [400, errors.verificationSessionNotFound()],
  }),
  input: z
    .strictObject({ state: z.enum(SESSION_STATES).optional(), ...nameFilters, ...mineShape, ...listShape })
    .prefault({}),
  output: zListed(
    z.object({
      id: z.string(),
      verifierId: z.string().meta({ description: 'DID of the verifier.' }),
      state: z.enum(SESSION_STATES),
      profile: z.enum(PROFILE_NAMES),
      errorMessage: z.string().optional().meta({ description: 'Present when state is Error.' }),
      failedCheck: z.enum(CHECKS).optional().meta({
        description: 'The first failed check of the answer. Absent if the session ended for another reason.',
      }),
      createdBy: z.string().optional().meta({ description: 'The `sub` of the caller. Absent for a client secret.' }),
      createdAt: z.iso.datetime(),
      expiresAt: z.iso.datetime(),
      endedAt: z.iso.datetime().optional(),
      claimsErasedAt: zClaimsErasedAt,
      asks: z.array(zAsk).optional().meta({
        description: 'What the request asks for, without the values that it requires. Absent for a query over 32 KiB.',
      }),
      ...namesShape,
      purpose: zPurposeShown,
    }),
  ),
}

const zJsonObject = z.record(z.string(), z.unknown())

export const readVerificationSession = {
  meta: route('GET', '/verification-sessions/{sessionId}', {
    tag: 'Verification sessions',
    summary: 'Read a verification session',
    description:
      'The session as in its newest event. The verified claims are at `/result`. An unknown session is a 500. ' +
      '`reference`, `label` and `purpose` are shown to the caller that created the session and to operators.',
    access: 'verifier',
    errors: [errors.verificationSessionNotFound()],
  }),
  input: z.strictObject({ sessionId: z.string() }),
  output: zVerificationSession,
}

export const eraseVerificationSession = {
  meta: route('POST', '/verification-sessions/{sessionId}/erase', {
    tag: 'Verification sessions',
    summary: 'Erase the verified claims of a session',
    description:
      'For callers who may read the result. The claims are erased at once and for ever; the state, the checks and the audit events ' +
      'stay. A session that is still open gets no result later. A repeated call changes nothing.',
    access: 'clientOrVerifier',
    errors: [400, errors.resultDenied(), errors.verificationSessionNotFound()],
  }),
  input: z.strictObject({ sessionId: z.string() }),
  output: z.object({ id: z.string(), claimsErasedAt: z.iso.datetime() }),
}

export const verificationSessionEvents = {
  meta: route('GET', '/verification-sessions/{sessionId}/events', {
    tag: 'Verification sessions',
    summary: 'Server-Sent Events of a verification session',
    description:
      'Events named `session` hold the session as JSON: its current state at once, then every change. A `ping` with the data ' +
      '`keepalive` follows every 15 seconds. The stream stays open after a final state, until the access token expires. ' +
      '`Last-Event-ID` returns missed events.',
    access: 'verifier',
    kind: 'events',
    produces: 'text/event-stream',
    event: zVerificationSession,
    errors: [400, errors.verificationSessionNotFound()],
  }),
  input: z.strictObject({
    sessionId: z.string(),
    lastEventId: z.string().optional().meta({ description: 'The same as the header Last-Event-ID.' }),
  }),
}

export const readVerificationResult = (formats: Formats) => ({
  meta: route('GET', '/verification-sessions/{sessionId}/result', {
    tag: 'Verification sessions',
    summary: 'Read the verified claims of a session',
    description:
      'Readable with x-client-secret, by an operator, or by the caller that created the session, for SESSION_RESULT_TTL_SECONDS after ' +
      'the verification. The response_code of the redirect is valid once. If the request has `requireResponseCode`, the result ' +
      'requires it. 409 with the errorMessage if the session ended in Error.',
    access: 'clientOrVerifier',
    errors: [
      400,
      errors.resultDenied(),
      errors.resultNotReady(),
      errors.resultGone(),
      errors.verificationSessionNotFound(),
    ],
  }),
  input: z.strictObject({ sessionId: z.string(), response_code: z.string().optional() }),
  output: z.object({
    verificationSessionId: z.string(),
    verifiedAt: z.iso.datetime(),
    credentials: z.array(
      z.object({
        credentialQueryId: z.string().meta({ description: 'Id of the DCQL credential query that it answers.' }),
        queryItem: z.int().optional().meta({ description: 'Index of the VP query item that it answers.' }),
        transactionData: z.array(z.int()).optional().meta({
          description: 'Indexes of the entries of `transactionData` that the holder authorized with this credential.',
        }),
        format: zShownFormatName(formats.all),
        issuer: z.string(),
        type: z
          .array(z.string())
          .meta({ description: 'Types of a JWT VC, the vct of an SD-JWT VC, the doctype of a mobile document.' }),
        subject: z.string().optional(),
        claims: z.union([zJsonObject, z.array(zJsonObject)]).meta({
          description:
            'Claims about the subject. Claims of a mobile document are grouped by namespace, then by element.',
        }),
        intentToRetain: z.record(z.string(), z.record(z.string(), z.boolean())).optional().meta({
          description: 'Whether the request intends to retain elements of a mobile document, by namespace and element.',
        }),
      }),
    ),
    discarded: z.array(z.object({ credentialQueryId: z.string(), reason: z.string() })).meta({
      description: 'Presentations that failed a check and were not needed, with the reason (OpenID4VP 1.0 §8.6).',
    }),
  }),
})
