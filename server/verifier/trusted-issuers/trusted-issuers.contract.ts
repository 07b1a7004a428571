import { z } from 'zod'
import { zRoots } from '../../agent/shown-certificate.js'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { listShape, zListed } from '../../api/paging.js'

/** What an index takes, and longer than any that was met. */
const MAX_ISSUER = 2_000

/** DID Core 1.0 §3.1, without what a DID URL adds. */
const DID = /^did:[a-z0-9]+:[\w.:%-]+$/
const ORIGIN = /^https?:\/\/[^/?#@\s]+\/?$/i

const { from: _from, to: _to, ...pageShape } = listShape

const zTrustedIssuer = z.object({
  id: z.uuid(),
  issuer: z.string().meta({ description: 'A DID, or an origin that stands for every issuer under it.' }),
  note: z.string().optional(),
  createdBy: z.string().optional().meta({ description: 'The `sub` of who added it; absent for the client secret.' }),
  createdAt: z.iso.datetime(),
})

export const listTrustedIssuers = {
  meta: route('GET', '/api/v1/trusted-issuers', {
    tag: 'Trust',
    summary: 'List issuers that were added to those of TRUSTED_ISSUERS',
    description: 'The newest first. What the configuration says is at `/api/v1/trust/credentials`.',
    access: 'verifierOperator',
    errors: [400],
  }),
  input: z.strictObject(pageShape).prefault({}),
  output: zListed(zTrustedIssuer),
}

export const addTrustedIssuer = {
  meta: route('POST', '/api/v1/trusted-issuers', {
    tag: 'Trust',
    summary: 'Trust an issuer from now on',
    description:
      'Presentations may then hold its credentials, beside those of TRUSTED_ISSUERS, in every process at once; a request with `trustedIssuers` of ' +
      'its own goes by these alone. Who is trusted by name must still prove the name, by DID, metadata or certificate.',
    access: 'operator',
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
      .meta({ description: 'A DID, or an origin that stands for every issuer under it.' }),
    note: z.string().min(1).max(200).optional().meta({ description: 'For people: who that is.' }),
  }),
  output: zTrustedIssuer,
}

export const removeTrustedIssuer = {
  meta: route('DELETE', '/api/v1/trusted-issuers/{id}', {
    tag: 'Trust',
    summary: 'Trust an issuer no longer',
    description:
      'From then on its credentials are refused, in answers to requests under way too, unless TRUSTED_ISSUERS or the request names it. Results ' +
      'that are there stay.',
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
    summary: 'Whose credentials and requests the configuration trusts',
    description: 'TRUSTED_ISSUERS, and the roots of TRUST_ANCHORS, STATUS_TRUST_ANCHORS and VERIFIER_TRUST_ANCHORS.',
    access: 'verifierOperator',
  }),
  input: z.strictObject({}).prefault({}),
  output: z.object({
    trustedIssuers: z.array(z.string()).meta({
      description: 'As TRUSTED_ISSUERS has them: `self`, `x5c`, `*`, DIDs and origins.',
    }),
    byDefault: z.boolean().meta({ description: 'Whether TRUSTED_ISSUERS is unset, so that VERIFIER_PROFILE decides.' }),
    credentials: zRoots,
    statusLists: zRoots.nullable().meta({ description: 'Null where they are the same as for credentials.' }),
    verifiers: zRoots.meta({ description: 'Of verifiers that hosted wallets answer.' }),
  }),
}
