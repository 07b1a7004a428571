import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { pageShape } from '../../api/paging.js'
import { namesShape, zPlainName, zShownPlainName } from '../../names/names.js'
import { zVpQuery, zVpQueryItems } from '../../protocol/openid4vp/query/vp-query.js'
import {
  zAuthorizationRequestResult,
  zPurpose,
  zRedirectUri,
  zValidity,
} from '../authorization-requests/authorization-requests.contract.js'
import { checkEvidence, evidenceShape } from '../evidence/evidence.contract.js'

const EXAMPLE = [
  {
    fields: [
      { path: ['$.type'], filter: { type: 'array', contains: { const: 'ProofOfPurchase' } } },
      { path: ['$.credentialSubject.productName'] },
    ],
  },
]

/** VP query configuration of the interface. */
export const zVpQueryConfiguration = z.object({
  id: z.uuid(),
  name: zShownPlainName.optional(),
  purpose: zPurpose.optional(),
  queryBody: zVpQueryItems,
  createdAt: z.number().meta({ description: 'Milliseconds since the Unix epoch.' }),
})

export const listVpQueries = {
  meta: route('GET', '/api/v1/verifier/vp-queries', {
    tag: 'VP queries',
    summary: 'List VP queries, newest first',
    description: 'Each with all its items. The `Link` header of the reply names the next page, if there is one.',
    access: 'verifierClient',
    errors: [400],
  }),
  input: z.strictObject(pageShape).prefault({}),
  output: z.array(zVpQueryConfiguration),
}

export const createVpQuery = {
  meta: route('POST', '/api/v1/verifier/vp-queries', {
    tag: 'VP queries',
    summary: 'Store a VP query',
    description:
      'Each item describes one credential: fields with paths (JSONPath), and filters (JSON Schema) for the values at these ' +
      'paths. A query that cannot be compiled is a 400 that names the faulty place.',
    access: 'verifierClient',
    idempotent: true,
    status: 201,
    errors: [400],
  }),
  input: z.strictObject({
    query: zVpQuery.meta({ example: EXAMPLE }),
    name: zPlainName.optional(),
    purpose: zPurpose.optional().meta({ description: 'The purpose of requests from this query that name none.' }),
  }),
  output: zVpQueryConfiguration,
}

export const readVpQuery = {
  meta: route('GET', '/api/v1/verifier/vp-queries/{id}', {
    tag: 'VP queries',
    summary: 'Read a VP query',
    description: 'Stored queries never change.',
    access: 'verifierClient',
    errors: [400, errors.vpQueryNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: zVpQueryConfiguration,
}

export const deleteVpQuery = {
  meta: route('DELETE', '/api/v1/verifier/vp-queries/{id}', {
    tag: 'VP queries',
    summary: 'Delete a VP query; requests made from it stay valid',
    description: 'Requests keep their own copy of the query.',
    access: 'verifierClient',
    status: 204,
    errors: [400, errors.vpQueryNotFound()],
  }),
  input: z.strictObject({ id: z.uuid() }),
  output: z.void(),
}

export const requestByVpQuery = {
  meta: route('POST', '/api/v1/verifier/vp-queries/{id}/authorization-request', {
    tag: 'VP queries',
    summary: 'Create an authorization request and its verification session from a VP query',
    description:
      'The reply holds the address that opens a wallet, its QR code and the verification session. The wallet sends the user to ' +
      '`redirect_uri` with a `response_code` that is valid once.',
    access: 'verifierClient',
    idempotent: true,
    status: 201,
    errors: [400, errors.vpQueryNotFound(), errors.verifierCertificateExpired()],
  }),
  input: z
    .strictObject({
      id: z.string(),
      redirect_uri: zRedirectUri,
      validity: zValidity.optional(),
      purpose: zPurpose.optional(),
      ...evidenceShape,
      ...namesShape,
    })
    .check(checkEvidence),
  output: zAuthorizationRequestResult,
}
