import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { pageShape } from '../../api/paging.js'
import { zVpQuery, zVpQueryItems } from '../../protocol/openid4vp/query/vp-query.js'
import {
  zAuthorizationRequestResult,
  zRedirectUri,
  zValidity,
} from '../authorization-requests/authorization-requests.contract.js'

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
  queryBody: zVpQueryItems,
  createdAt: z.number().meta({ description: 'Milliseconds since the Unix epoch.' }),
})

export const listVpQueries = {
  meta: route('GET', '/api/v1/verifier/vp-queries', {
    tag: 'VP queries',
    summary: 'List VP queries, the newest first',
    description: "With every item of each. The answer's `Link` header names the next page, where there is one.",
    access: 'verifierClient',
    errors: [400],
  }),
  input: z.strictObject(pageShape).prefault({}),
  output: z.array(zVpQueryConfiguration),
}

export const createVpQuery = {
  meta: route('POST', '/api/v1/verifier/vp-queries', {
    tag: 'VP queries',
    summary: 'Store what a verifier asks for',
    description:
      'Each item is what one credential must have: fields with paths (JSONPath), and filters (JSON Schema) for the ' +
      'values there. What cannot be compiled is a 400 that names its place.',
    access: 'verifierClient',
    status: 201,
    errors: [400],
  }),
  input: z.strictObject({ query: zVpQuery.meta({ example: EXAMPLE }) }),
  output: zVpQueryConfiguration,
}

export const readVpQuery = {
  meta: route('GET', '/api/v1/verifier/vp-queries/{id}', {
    tag: 'VP queries',
    summary: 'Read a VP query',
    description: 'As it was stored; stored queries do not change.',
    access: 'verifierClient',
    errors: [400, errors.vpQueryNotFound()],
  }),
  input: z.strictObject({ id: z.string() }),
  output: zVpQueryConfiguration,
}

export const deleteVpQuery = {
  meta: route('DELETE', '/api/v1/verifier/vp-queries/{id}', {
    tag: 'VP queries',
    summary: 'Delete a VP query; requests made from it go on',
    description: 'Requests keep what they ask for when the query is gone.',
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
      'The answer names the address that a wallet opens, its QR code and the verification session. The user goes on ' +
      'to `redirect_uri`, with a `response_code` that is good once.',
    access: 'verifierClient',
    status: 201,
    errors: [400, errors.vpQueryNotFound(), errors.verifierCertificateExpired()],
  }),
  input: z.strictObject({ id: z.string(), redirect_uri: zRedirectUri, validity: zValidity.optional() }),
  output: zAuthorizationRequestResult,
}
