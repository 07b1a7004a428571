import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { listShape, zListed } from '../../api/paging.js'
import { CLIENT_ID_PREFIXES } from '../../protocol/openid4vp/client-identifier.js'
import { zAgentRecord, zDisplayEntry, zStoredDisplayEntry } from '../agent.contract.js'
import { zCertificate } from '../shown-certificate.js'

const { from: _from, to: _to, ...pageShape } = listShape

/** Keys of a record and types of an issuer that are listed with it. */
export const MAX_KEYS = 50
export const MAX_TYPES = 200

const zSigner = zAgentRecord.extend({
  changeable: z
    .boolean()
    .meta({ description: 'Whether the caller may change it: an admin their own, and the default one.' }),
  algorithm: z.string().meta({ description: 'What its key signs with now: `ES256`, `ES384`, `EdDSA`.' }),
  keyId: z.string().meta({ description: 'The DID URL of that key: the `kid` of what it signs.' }),
  certificate: zCertificate.nullable().meta({ description: 'The certificate of that key; null where it has none.' }),
  certifiedUntil: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'When the first certificate of its chain runs out.' }),
})

const wholeShape = {
  didDocument: z.record(z.string(), z.unknown()).nullable(),
  didDocumentUrl: z
    .url()
    .nullable()
    .meta({ description: 'Where that is published; null for a DID that is its own key.' }),
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
          .meta({ description: 'When another took its place; null for the one that signs.' }),
      }),
    )
    .max(MAX_KEYS)
    .meta({
      description: `The newest ${MAX_KEYS} of its keys; former ones stay published, and verify what they signed.`,
    }),
}

const list = (kind: 'issuer' | 'verifier') => ({
  meta: route('GET', `/api/v1/${kind}s`, {
    tag: 'Trust',
    summary: `List ${kind} records of all callers, with what they sign with`,
    description: 'The newest first. Keys are shown by algorithm and id; no private one ever leaves the service.',
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
    summary: 'Read an issuer record: its DID, keys and certificates, and what it can sign',
    description: 'Of any caller. Types that are assigned to nobody are signed by every issuer, and not listed.',
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
          .meta({ description: 'What is missing to sign credentials of it; null where nothing is.' }),
      }),
    ),
    types: z
      .array(z.string())
      .max(MAX_TYPES)
      .meta({ description: 'Names of the credential types that are assigned to it.' }),
  }),
}

export const readVerifierSigner = {
  meta: route('GET', '/api/v1/verifiers/{id}', {
    tag: 'Trust',
    summary: 'Read a verifier record: its DID, keys and certificates, and how it can name itself',
    description: 'Of any caller.',
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
          clientId: z
            .string()
            .nullable()
            .meta({ description: 'Null where it has none, and where each request has its own.' }),
          lacks: z.string().nullable().meta({ description: 'What is missing to be named so; null where nothing is.' }),
          isDefault: z.boolean().meta({ description: 'Whether requests name it so unless they say otherwise.' }),
        }),
      )
      .meta({ description: 'Client identifiers (OpenID4VP 1.0 §5.9.3).' }),
    attestedUntil: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When VERIFIER_ATTESTATION runs out, where that is for its key.' }),
  }),
}

const rename = (kind: 'issuer' | 'verifier') => ({
  meta: route('POST', `/api/v1/${kind}s/{id}/display`, {
    tag: 'Trust',
    summary: `Change how ${kind === 'issuer' ? 'an issuer' : 'a verifier'} record is shown`,
    description:
      "One of the caller's own, or the default one. `before` is what it was when the caller read it: where somebody else has changed it since, " +
      'this is a 409, and nothing is changed.',
    access: 'admin',
    requestExample: { before: [{ name: 'Shop' }], display: [{ name: 'Corner Shop', locale: 'en' }] },
    errors: [400, errors.recordNotFound(kind === 'issuer' ? 'Issuer' : 'Verifier'), errors.recordChanged()],
  }),
  input: z.strictObject({
    id: z.string(),
    display: z.array(zDisplayEntry).max(50),
    before: z.array(zStoredDisplayEntry).max(50),
  }),
  output: zSigner,
})

export const renameIssuer = rename('issuer')
export const renameVerifier = rename('verifier')
