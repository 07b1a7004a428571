import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { zFormatName } from '../../formats/contract.js'
import type { Formats } from '../../formats/registry.js'
import { namesShape } from '../../names/names.js'
import { zTypeName } from '../schemas/schemas.contract.js'

const zJsonObject = z.record(z.string(), z.unknown())

export const zSubject = zJsonObject.meta({
  description: "The subject's claims. They must be valid against the type's schema. An `id` is the subject's URI.",
  example: { productName: 'Espresso machine', merchant: 'Corner Shop', purchaseDate: '2026-03-01' },
})

const zIssuerId = z
  .string()
  .optional()
  .meta({ description: 'The issuer record that signs. Default: the default issuer.' })

/** A verifiable credential as the API shows it (W3C VCDM 1.1). Its proof contains the signed JWT. */
export const zVerifiableCredential = z.looseObject({
  '@context': z.array(z.string()).optional(),
  type: z.array(z.string()).optional(),
  id: z.string().optional(),
  issuer: z.union([z.string(), z.looseObject({ id: z.string(), name: z.string().optional() })]).optional(),
  issuanceDate: z.string().optional(),
  expirationDate: z.string().optional(),
  credentialSubject: z.unknown().optional(),
  credentialSchema: z.looseObject({ id: z.string(), type: z.string() }).optional(),
  credentialStatus: z.array(zJsonObject).optional(),
  proof: zJsonObject.optional(),
})

export const zCredentialResponse = z.object({ id: z.uuid(), vc: zVerifiableCredential })

/** When the claims of a record were erased. */
export const zClaimsErasedAt = z.iso
  .datetime()
  .optional()
  .meta({ description: 'When the claims were erased. Absent while they are stored.' })

/** The credential record of the interface. */
export const zCredentialRecord = z.object({
  id: z.uuid(),
  configuration_id: z.string(),
  configuration: z.object({
    id: z.string(),
    name: z.string(),
    type: z.string(),
    version: z.number(),
    schemaUri: z.string(),
    schemaBody: zJsonObject,
  }),
  vc: zVerifiableCredential,
  revoked: z.boolean(),
  claimsErasedAt: zClaimsErasedAt,
})

export const createCredential = {
  meta: route('POST', '/api/v1/credentials', {
    tag: 'Credentials',
    summary: 'Create a standalone credential without a recipient',
    description:
      "The subject is checked against the active version of the type's schema. The credential is stored, belongs " +
      'to the caller and can be revoked.',
    access: 'issuer',
    idempotent: true,
    status: 201,
    errors: [400, errors.schemaNotFound()],
  }),
  input: z.strictObject({ type: zTypeName, credential_subject: zSubject, issuerId: zIssuerId, ...namesShape }),
  output: zCredentialResponse,
}

export const readCredential = {
  meta: route('GET', '/api/v1/credentials/{id}', {
    tag: 'Credentials',
    summary: "Read one of the caller's credentials",
    description:
      'A credential belongs to the caller that created, claimed or signed it, and to the caller with the DID that it is ' +
      'bound to. After the erasure of its claims, `vc` has neither `credentialSubject` nor `proof`.',
    access: 'user',
    errors: [400, errors.credentialNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: zCredentialResponse.extend({ claimsErasedAt: zClaimsErasedAt, ...namesShape }),
}

export const signCredential = (formats: Formats) => ({
  meta: route('POST', '/credentials/sign', {
    tag: 'Credentials',
    summary: 'Sign a credential directly and return it in compact form',
    description:
      'Needs no offer and no proof of a wallet: the caller vouches for `holder`. The credential is stored ' +
      'and can be revoked.',
    access: 'issuer',
    idempotent: true,
    status: 201,
    errors: [400, errors.schemaNotFound()],
  }),
  input: z.strictObject({
    type: zTypeName,
    credential_subject: zSubject,
    format: zFormatName(formats.issued),
    holder: z
      .string()
      .refine((value) => /^did:[a-z0-9]+:\S+$/.test(value), { error: 'must be a DID' })
      .optional()
      .meta({ description: 'The DID that the credential is bound to. Required for a mobile document.' }),
    issuerId: zIssuerId,
    ...namesShape,
  }),
  output: z.object({ id: z.uuid(), format: zFormatName(formats.issued), credential: z.string() }),
})
