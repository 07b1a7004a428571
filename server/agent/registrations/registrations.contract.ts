import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { MAX_REGISTRATION_CERTIFICATE } from '../../protocol/registration-certificates/limits.js'
import { REGISTRATION_STATES } from './state.js'
import { MOST_REGISTRATIONS } from './store.js'

const zLocalized = z.array(z.object({ lang: z.string(), value: z.string() }))

/** A registration certificate as the API shows it. All its members are public. */
export const zRegistration = z.object({
  id: z.string(),
  form: z.enum(['jwt', 'cwt']),
  subject: z
    .object({
      identifier: z.string(),
      name: z.string(),
      legalName: z.string().optional(),
      country: z.string().optional(),
    })
    .meta({ description: 'The registered party. `identifier` is the semantic identifier of ETSI EN 319 412-1.' }),
  intermediary: z
    .object({ identifier: z.string(), name: z.string().optional() })
    .nullable()
    .meta({ description: 'The party that sends the requests for the registered party; null if there is none.' }),
  intendedUse: z.string().nullable().meta({ description: 'The name of the intended use in the register.' }),
  purposes: zLocalized.meta({ description: 'Why the credentials are requested, in several languages.' }),
  credentials: z
    .array(
      z.object({
        format: z.string(),
        meta: z.record(z.string(), z.unknown()),
        claims: z
          .array(z.array(z.union([z.string(), z.number(), z.null()])))
          .nullable()
          .meta({ description: 'Claims paths (OpenID4VP 1.0 §7); null if the certificate declares none.' }),
      }),
    )
    .meta({ description: 'What requests may ask for. Issuers need none.' }),
  providesAttestations: z
    .array(z.object({ format: z.string(), meta: z.record(z.string(), z.unknown()) }))
    .meta({ description: 'The credential types that the party may issue. Verifiers need none.' }),
  entitlements: z.array(z.string()),
  privacyPolicy: z.string().nullable(),
  registryUri: z.string().nullable(),
  supervisoryAuthority: z
    .object({ uri: z.string().optional(), email: z.string().optional(), phone: z.string().optional() })
    .nullable(),
  issuedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable().meta({ description: 'Null if the certificate has no end.' }),
  state: z.enum(REGISTRATION_STATES).meta({ description: '`usable`, or why the certificate cannot be used.' }),
  reason: z.string().nullable().meta({ description: 'A sentence about the state; null if the certificate is usable.' }),
  checkedAt: z.iso.datetime().nullable().meta({ description: 'When the status list was last read.' }),
  fromFile: z
    .boolean()
    .meta({ description: 'True if the certificate comes from VERIFIER_REGISTRATIONS or ISSUER_REGISTRATIONS.' }),
  createdAt: z.iso.datetime(),
})

const zAdded = z.strictObject({
  id: z.string(),
  certificate: z.string().min(1).max(MAX_REGISTRATION_CERTIFICATE).meta({
    description: 'A compact JWS of type `rc-wrp+jwt`, or a CWT of type `rc-wrp+cwt` as base64url.',
  }),
})

export const addRegistration = {
  meta: route('POST', '/api/v1/verifiers/{id}/registration-certificates', {
    tag: 'Trust',
    summary: 'Add a registration certificate to a verifier',
    description:
      'A certificate of ETSI TS 119 475 from a registrar, for one intended use. The caller’s own verifiers, and the default verifier. The ' +
      'verifier must have its access certificate, and both certificates must name the same party, or the same intermediary. The ' +
      'signature, the times and the status list are checked at once; the status list again every hour.',
    access: 'admin',
    idempotent: true,
    status: 201,
    requestExample: { certificate: 'eyJ0eXAiOiJyYy13cnArand0IiwiYWxnIjoiRVMyNTYiLCJ4NWMiOlsi…' },
    errors: [400, errors.recordNotFound('Verifier'), errors.registrationKnown('verifier')],
  }),
  input: zAdded,
  output: zRegistration,
}

export const addIssuerRegistration = {
  meta: route('POST', '/api/v1/issuers/{id}/registration-certificates', {
    tag: 'Trust',
    summary: 'Add a registration certificate to an issuer',
    description:
      'A certificate of ETSI TS 119 475 from a registrar, with the credentials that the party may issue. The caller’s own issuers, and the ' +
      'default issuer. The certificate of ISSUER_X509 signs the metadata, and both certificates must name the same party. The signature, the ' +
      'times and the status list are checked at once; the status list again every hour. Wallets find the certificate in `issuer_info` of the metadata.',
    access: 'admin',
    idempotent: true,
    status: 201,
    requestExample: { certificate: 'eyJ0eXAiOiJyYy13cnArand0IiwiYWxnIjoiRVMyNTYiLCJ4NWMiOlsi…' },
    errors: [400, errors.recordNotFound('Issuer'), errors.registrationKnown('issuer')],
  }),
  input: zAdded,
  output: zRegistration,
}

export const listRegistrations = {
  meta: route('GET', '/api/v1/verifiers/{id}/registration-certificates', {
    tag: 'Trust',
    summary: 'List the registration certificates of a verifier',
    description: 'The newest first. The record of any caller.',
    access: 'verifierOperator',
    errors: [400, errors.recordNotFound('Verifier')],
  }),
  input: z.strictObject({ id: z.string() }),
  output: z.object({ items: z.array(zRegistration).max(MOST_REGISTRATIONS) }),
}

export const listIssuerRegistrations = {
  meta: route('GET', '/api/v1/issuers/{id}/registration-certificates', {
    tag: 'Trust',
    summary: 'List the registration certificates of an issuer',
    description: 'The newest first. The record of any caller.',
    access: 'issuerOperator',
    errors: [400, errors.recordNotFound('Issuer')],
  }),
  input: z.strictObject({ id: z.string() }),
  output: z.object({ items: z.array(zRegistration).max(MOST_REGISTRATIONS) }),
}

export const removeIssuerRegistration = {
  meta: route('DELETE', '/api/v1/issuers/{id}/registration-certificates/{certificateId}', {
    tag: 'Trust',
    summary: 'Remove a registration certificate from an issuer',
    description: 'The metadata no longer have it. A certificate of ISSUER_REGISTRATIONS is removed from the file.',
    access: 'admin',
    status: 204,
    errors: [400, errors.registrationNotFound(), errors.registrationConfigured('issuer')],
  }),
  input: z.strictObject({ id: z.string(), certificateId: z.string() }),
  output: z.void(),
}

export const removeRegistration = {
  meta: route('DELETE', '/api/v1/verifiers/{id}/registration-certificates/{certificateId}', {
    tag: 'Trust',
    summary: 'Remove a registration certificate from a verifier',
    description:
      'New requests no longer use it. Open requests keep it. A certificate of VERIFIER_REGISTRATIONS is removed from the file.',
    access: 'admin',
    status: 204,
    errors: [400, errors.registrationNotFound(), errors.registrationConfigured('verifier')],
  }),
  input: z.strictObject({ id: z.string(), certificateId: z.string() }),
  output: z.void(),
}
