import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { listShape, zListed } from '../../api/paging.js'
import { KEY_PROVIDER_KINDS, MOST_PROVIDERS } from '../../config/key-providers.js'
import { KEPT_REASONS } from '../../key-rotation/rotate-keys.js'
import { PROVIDER_FAULTS } from '../../keys/providers/health.js'
import { zAgentRecord, zSigning } from '../agent.contract.js'

const { from: _from, to: _to, ...pageShape } = listShape

const zAlgorithm = z.enum(['ES256', 'EdDSA'])

const zPlace = z
  .string()
  .max(32)
  .meta({ description: 'The key provider that has the key: a name of KEY_PROVIDERS, or `database`.', example: 'hsm' })

const zSigningKey = z.object({
  kind: z.enum(['issuer', 'verifier']).meta({ description: 'The kind of the record that signs with the key.' }),
  ...zAgentRecord.pick({ id: true, did: true, display: true, isDefault: true }).shape,
  changeable: z.boolean().meta({
    description:
      'True if the caller may rotate the key: admins may rotate keys of their own records and of the default record.',
  }),
  signing: zSigning.nullable().meta({
    description:
      'What the key of an issuer signs itself: see `POST /agent/issuer`. Null for a verifier, whose key signs every request.',
  }),
  provider: zPlace,
  providerKind: z
    .enum(KEY_PROVIDER_KINDS)
    .nullable()
    .meta({ description: 'The kind of the key provider; null for a key in the database.' }),
  reference: z.string().nullable().meta({
    description:
      'The name of the key inside its provider: a label, an ARN, a key version. Only admins see it; null for other callers, and for a key in the database.',
  }),
  algorithm: z.string().meta({ description: 'The algorithm of the key: `ES256`, `ES384`, `EdDSA`.' }),
  keyId: z.string().meta({ description: 'The DID URL of the key. It is the `kid` of the signatures.' }),
  thumbprint: z.string().meta({ description: 'The thumbprint of the public key (RFC 7638, SHA-256).' }),
  createdAt: z.iso.datetime().meta({ description: 'When the key was made.' }),
  certifiedUntil: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'When the certificate chain of the key expires; null if the key has no certificate.' }),
  formerKeys: z.int().meta({
    description: 'The number of former keys of the record that still sign status lists. They must stay where they are.',
  }),
  didChanges: z
    .boolean()
    .meta({ description: 'True if a rotation changes the DID of the record, because the DID is made from the key.' }),
  keptBecause: z
    .enum(KEPT_REASONS)
    .nullable()
    .meta({
      description:
        'Why a rotation is refused; null if it is not. `certificate-file`: ISSUER_X509 or VERIFIER_X509 has the certificate of the key. ' +
        '`attestation`: VERIFIER_ATTESTATION is for the key.',
    }),
  fixedProvider: z.string().nullable().meta({
    description:
      'The only provider that may have the key, by ISSUER_KEY_PROVIDER or VERIFIER_KEY_PROVIDER; null if every provider may have it.',
  }),
})

export const listSigningKeys = {
  meta: route('GET', '/api/v1/signing-keys', {
    tag: 'Trust',
    summary: 'List the keys with which issuer and verifier records sign',
    description:
      'One key for each record of all callers, the newest record first. Operators of one half see the records of this half. Private keys are in no answer.',
    access: 'eitherOperator',
    errors: [400],
  }),
  input: z
    .strictObject({
      provider: zPlace.optional().meta({ description: 'Only keys of this key provider, or of the `database`.' }),
      ...pageShape,
    })
    .prefault({}),
  output: zListed(zSigningKey),
}

const zProvider = z.object({
  name: z.string(),
  kind: z.enum(KEY_PROVIDER_KINDS),
  algorithms: z.array(zAlgorithm).meta({
    description: 'The algorithms of new keys. Empty if the process has not reached the provider yet.',
  }),
  status: z.enum(['up', 'away']).meta({ description: '`away`: the provider cannot sign or make keys now.' }),
  since: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'When the first call failed after the last success; null while the provider can be used.' }),
  reason: z
    .enum(PROVIDER_FAULTS)
    .nullable()
    .meta({
      description:
        'Why the provider cannot be used; null while it can. `unavailable`: it cannot be reached, or is busy. `timeout`: it does not answer in time. ' +
        '`refused`: it refuses this service. `failed`: another error.',
    }),
  message: z.string().nullable().meta({
    description:
      'The last error in a sentence, without secrets. Only admins see it, because it may name hosts and files.',
  }),
  checkedAt: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'When the last check ended; null during the first check.' }),
})

export const listKeyProviders = {
  meta: route('GET', '/api/v1/key-providers', {
    tag: 'Trust',
    summary: 'List the key providers of KEY_PROVIDERS with their health',
    description:
      'The health is the view of the process that answers. A check of a provider is the answer for 5 seconds, and it takes at most 2 seconds.',
    access: 'eitherOperator',
  }),
  input: z.strictObject({}).prefault({}),
  output: z.object({ items: z.array(zProvider).max(MOST_PROVIDERS) }),
}

/** Steps that remain for an operator after a rotation. */
export const NEXT_STEPS = ['request-certificate', 'announce-did', 'keep-former-key'] as const

const rotate = (kind: 'issuer' | 'verifier') => ({
  meta: route('POST', `/api/v1/${kind}s/{id}/rotate`, {
    tag: 'Trust',
    summary: `Give ${kind === 'issuer' ? 'an issuer' : 'a verifier'} record a new signing key`,
    description:
      "One of the caller's own records, or the default record. The next signature is made with the new key. The former key stays published and signs its " +
      'own status lists. A certificate stays with the former key. A did:key and a did:jwk change, because they are made from the key.',
    access: 'admin',
    idempotent: true,
    status: 201,
    requestExample: { provider: 'database', algorithm: 'ES256' },
    errors: [400, errors.recordNotFound(kind === 'issuer' ? 'Issuer' : 'Verifier'), 409, errors.signingUnavailable()],
  }),
  input: z.strictObject({
    id: z.string(),
    provider: zPlace.optional().meta({
      description:
        'The key provider that makes and keeps the new key: a name of KEY_PROVIDERS, or `database`. By default the place of the former key.',
    }),
    algorithm: zAlgorithm.optional().meta({
      description: 'The algorithm of the new key. By default the algorithm of the former key; ES256 after ES384.',
    }),
  }),
  output: zSigningKey.extend({
    formerDid: z
      .string()
      .meta({ description: 'The DID before the rotation. It stays known, and its signatures stay valid.' }),
    next: z
      .array(z.object({ step: z.enum(NEXT_STEPS), sentence: z.string() }))
      .meta({ description: 'What the operator must do now. Empty if nothing needs to be done.' }),
  }),
})

export const rotateIssuerKey = rotate('issuer')
export const rotateVerifierKey = rotate('verifier')
