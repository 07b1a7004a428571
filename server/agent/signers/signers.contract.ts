import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { listShape, zListed } from '../../api/paging.js'
import { CLIENT_ID_PREFIXES } from '../../protocol/openid4vp/client-identifier.js'
import { zAgentRecord, zDisplayEntry, zSigning, zStoredDisplayEntry } from '../agent.contract.js'
import { zBranding } from '../branding.js'
import { zCertificate } from '../shown-certificate.js'

const { from: _from, to: _to, ...pageShape } = listShape

/** Maximum number of keys and credential types that a record lists. */
export const MAX_KEYS = 50
export const MAX_TYPES = 200

const zSigner = zAgentRecord.extend({
  changeable: z.boolean().meta({
    description:
      'True if the caller may change the record: admins may change their own records and the default record.',
  }),
  signing: zSigning.nullable().meta({
    description:
      'The documents that the key of an issuer signs itself. Null for a verifier, whose key signs every request.',
  }),
  algorithm: z.string().meta({ description: 'The algorithm of the current signing key: `ES256`, `ES384`, `EdDSA`.' }),
  keyId: z.string().meta({ description: 'The DID URL of the current signing key. It is the `kid` of the signatures.' }),
  certificate: zCertificate
    .nullable()
    .meta({ description: 'The certificate of the current signing key; null if the key has none.' }),
  certifiedUntil: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'When the chain expires: the earliest end of its certificates.' }),
})

const wholeShape = {
  didDocument: z.record(z.string(), z.unknown()).nullable(),
  didDocumentUrl: z
    .url()
    .nullable()
    .meta({ description: 'The address of the published DID document; null for a DID that contains its key.' }),
  chain: z.array(zCertificate).meta({ description: 'The certificates of the key, leaf first, without the root.' }),
  keys: z
    .array(
      z.object({
        keyId: z.string(),
        algorithm: z.string(),
        createdAt: z.iso.datetime(),
        retiredAt: z.iso
          .datetime()
          .nullable()
          .meta({ description: 'When the key was replaced by a newer key; null for the signing key.' }),
      }),
    )
    .max(MAX_KEYS)
    .meta({
      description: `The newest ${MAX_KEYS} keys of the record. Former keys stay published, so that their signatures can be verified.`,
    }),
}

const list = (kind: 'issuer' | 'verifier') => ({
  meta: route('GET', `/api/v1/${kind}s`, {
    tag: 'Trust',
    summary: `List ${kind} records of all callers with their signing keys`,
    description: 'The newest first. Keys are shown by algorithm and id. Private keys never leave the service.',
    access: `${kind}Operator`,
    errors: [400],
  }),
  input: z.strictObject(pageShape).prefault({}),
  output: zListed(zSigner),
})

export const listIssuerSigners = list('issuer')
export const listVerifierSigners = list('verifier')

export const readIssuerSigner = {
  meta: route('GET', '/api/v1/issuers/{id}', {
    tag: 'Trust',
    summary: 'Read an issuer record: its DID, keys, certificates, formats and credential types',
    description:
      'The record of any caller. Credential types without an assigned issuer can be signed by every issuer, and are not listed.',
    access: 'issuerOperator',
    errors: [400, errors.recordNotFound('Issuer')],
  }),
  input: z.strictObject({ id: z.string() }),
  output: zSigner.extend({
    ...wholeShape,
    formats: z.array(
      z.object({
        format: z.string(),
        lacks: z
          .string()
          .nullable()
          .meta({ description: 'What the record lacks to sign credentials of the format; null if it lacks nothing.' }),
      }),
    ),
    types: z
      .array(z.string())
      .max(MAX_TYPES)
      .meta({ description: 'Names of the credential types that are assigned to the issuer.' }),
  }),
}

export const readVerifierSigner = {
  meta: route('GET', '/api/v1/verifiers/{id}', {
    tag: 'Trust',
    summary: 'Read a verifier record: its DID, keys, certificates and client identifiers',
    description: 'The record of any caller.',
    access: 'verifierOperator',
    errors: [400, errors.recordNotFound('Verifier')],
  }),
  input: z.strictObject({ id: z.string() }),
  output: zSigner.extend({
    ...wholeShape,
    names: z
      .array(
        z.object({
          prefix: z.enum(CLIENT_ID_PREFIXES),
          clientId: z.string().nullable().meta({
            description:
              'Null if the verifier has no identifier with this prefix, or if each request has a different identifier.',
          }),
          lacks: z
            .string()
            .nullable()
            .meta({ description: 'What the verifier lacks to use this prefix; null if it lacks nothing.' }),
          isDefault: z
            .boolean()
            .meta({ description: 'True if this prefix is used for requests that do not choose a prefix.' }),
        }),
      )
      .meta({ description: 'Client identifiers (OpenID4VP 1.0 §5.9.3).' }),
    attestedUntil: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When VERIFIER_ATTESTATION expires, if it attests the key of this record.' }),
  }),
}

const rename = (kind: 'issuer' | 'verifier') => ({
  meta: route('POST', `/api/v1/${kind}s/{id}/display`, {
    tag: 'Trust',
    summary: `Change the display of ${kind === 'issuer' ? 'an issuer' : 'a verifier'} record`,
    description:
      "One of the caller's own records, or the default record. `before` is the display that the caller read. If another caller has " +
      'changed the display since, the answer is a 409 and nothing changes. `branding` replaces the whole branding; without it, the branding ' +
      'stays as it is. The same check applies to `brandingBefore`.',
    access: 'admin',
    requestExample: { before: [{ name: 'Shop' }], display: [{ name: 'Corner Shop', locale: 'en' }] },
    errors: [400, errors.recordNotFound(kind === 'issuer' ? 'Issuer' : 'Verifier'), errors.recordChanged()],
  }),
  input: z.strictObject({
    id: z.string(),
    display: z.array(zDisplayEntry).max(50),
    before: z.array(zStoredDisplayEntry).max(50),
    branding: zBranding.optional(),
    brandingBefore: zBranding.optional().meta({
      description: 'The branding that the caller read; absent if the record had none.',
    }),
  }),
  output: zSigner,
})

export const renameIssuer = rename('issuer')
export const renameVerifier = rename('verifier')
