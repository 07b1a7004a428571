import { z } from 'zod'
import { zRoots } from '../../agent/shown-certificate.js'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { listShape, zListed } from '../../api/paging.js'

/** Longer than every known name of an issuer, and short enough for an index. */
const MAX_ISSUER = 2_000

/** DID Core 1.0 §3.1, without the additional parts of a DID URL. */
const DID = /^did:[a-z0-9]+:[\w.:%-]+$/
const ORIGIN = /^https?:\/\/[^/?#@\s]+\/?$/i

const { from: _from, to: _to, ...pageShape } = listShape

const zTrustedIssuer = z.object({
  id: z.uuid(),
  issuer: z.string().meta({ description: 'A DID, or an origin. An origin means every issuer under it.' }),
  note: z.string().optional(),
  createdBy: z
    .string()
    .optional()
    .meta({ description: 'The `sub` of the user who added it. Absent for the client secret.' }),
  createdAt: z.iso.datetime(),
})

export const listTrustedIssuers = {
  meta: route('GET', '/api/v1/trusted-issuers', {
    tag: 'Trust',
    summary: 'List the issuers that were added to TRUSTED_ISSUERS',
    description: 'Newest first. `/api/v1/trust/credentials` returns the configured issuers.',
    access: 'verifierOperator',
    errors: [400],
  }),
  input: z.strictObject(pageShape).prefault({}),
  output: zListed(zTrustedIssuer),
}

export const addTrustedIssuer = {
  meta: route('POST', '/api/v1/trusted-issuers', {
    tag: 'Trust',
    summary: 'Trust an issuer',
    description:
      'Presentations may then hold credentials of this issuer, in addition to TRUSTED_ISSUERS. This takes effect in every process at ' +
      'once. A request with its own `trustedIssuers` uses only these. An issuer that is trusted by name must still prove ' +
      'the name, by DID, metadata or certificate.',
    access: 'operator',
    idempotent: true,
    status: 201,
    requestExample: { issuer: 'https://university.example', note: 'Diplomas' },
    errors: [400, errors.issuerTrusted()],
  }),
  input: z.strictObject({
    issuer: z
      .string()
      .max(MAX_ISSUER)
      .refine((issuer) => DID.test(issuer) || (ORIGIN.test(issuer) && URL.canParse(issuer)), {
        error: 'must be a DID or an origin such as https://university.example',
      })
      .meta({ description: 'A DID, or an origin. An origin means every issuer under it.' }),
    note: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'A note for people, such as the name of the issuer.' }),
  }),
  output: zTrustedIssuer,
}

export const removeTrustedIssuer = {
  meta: route('DELETE', '/api/v1/trusted-issuers/{id}', {
    tag: 'Trust',
    summary: 'Stop trusting an issuer',
    description:
      'Its credentials are refused at once, also in answers to open requests, unless TRUSTED_ISSUERS or the request names the issuer. ' +
      'Existing results stay.',
    access: 'operator',
    status: 204,
    errors: [400, errors.trustedIssuerNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: z.void(),
}

export const readCredentialTrust = {
  meta: route('GET', '/api/v1/trust/credentials', {
    tag: 'Trust',
    summary: 'List the issuers and roots that the configuration trusts',
    description: 'TRUSTED_ISSUERS, and the roots of TRUST_ANCHORS, STATUS_TRUST_ANCHORS and VERIFIER_TRUST_ANCHORS.',
    access: 'verifierOperator',
  }),
  input: z.strictObject({}).prefault({}),
  output: z.object({
    trustedIssuers: z.array(z.string()).meta({
      description: 'The entries of TRUSTED_ISSUERS: `self`, `x5c`, `*`, DIDs and origins.',
    }),
    byDefault: z.boolean().meta({ description: 'True if TRUSTED_ISSUERS is unset; VERIFIER_PROFILE then decides.' }),
    credentials: zRoots,
    statusLists: zRoots.nullable().meta({ description: 'Null if the roots for credentials apply.' }),
    verifiers: zRoots.meta({ description: 'Roots of the verifiers that hosted wallets answer.' }),
  }),
}
