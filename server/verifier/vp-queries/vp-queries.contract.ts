import { z } from 'zod'
import { route } from '../../contract.js'
import { pageShape } from '../../paging.js'
import { zVpQuery } from '../../protocol/openid4vp/query/vp-query.js'
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
  queryBody: zVpQuery,
  createdAt: z.number().meta({ description: 'Milliseconds since the Unix epoch.' }),
})

export const listVpQueries = {
  meta: route('GET', '/api/v1/verifier/vp-queries', {
    tag: 'VP queries',
    summary: 'List VP queries, the newest first',
    access: 'client',
    errors: [400],
  }),
  input: z.strictObject(pageShape).prefault({}),
  output: z.array(zVpQueryConfiguration),
}

export const createVpQuery = {
  meta: route('POST', '/api/v1/verifier/vp-queries', {
    tag: 'VP queries',
    summary: 'Store what a verifier asks for',
    access: 'client',
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
    access: 'client',
    errors: [400, 404],
  }),
  input: z.strictObject({ id: z.string() }),
  output: zVpQueryConfiguration,
}

export const deleteVpQuery = {
  meta: route('DELETE', '/api/v1/verifier/vp-queries/{id}', {
    tag: 'VP queries',
    summary: 'Delete a VP query; requests made from it go on',
    access: 'client',
    status: 204,
    errors: [400, 404],
  }),
  input: z.strictObject({ id: z.uuid() }),
  output: z.void(),
}

export const requestByVpQuery = {
  meta: route('POST', '/api/v1/verifier/vp-queries/{id}/authorization-request', {
    tag: 'VP queries',
    summary: 'Create an authorization request and its verification session from a VP query',
    access: 'client',
    status: 201,
    errors: [400, 404],
  }),
  input: z.strictObject({ id: z.string(), redirect_uri: zRedirectUri, validity: zValidity.optional() }),
  output: zAuthorizationRequestResult,
}
