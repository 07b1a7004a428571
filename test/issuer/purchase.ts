import { expect } from 'vitest'
import type { Answer, TestService } from '../support/service.js'

/** The schema of a proof of purchase, and a valid subject. */
export const PURCHASE = {
  type: 'object',
  properties: {
    product: { type: 'string', title: 'Product' },
    price: { type: 'number' },
    shop: { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false },
  },
  required: ['product'],
  additionalProperties: false,
}

export const SUBJECT = { product: 'Espresso machine', price: 249 }

let names = 0

/** A type name that no other test uses. */
export const newTypeName = (): string => {
  names += 1
  return `Purchase_${names}`
}

/** Posts a schema and returns it; by default version 1 of a new type. */
export async function postSchema(
  service: TestService,
  authorization: string,
  members: Readonly<Record<string, unknown>> = {},
): Promise<Answer['json']> {
  const body = { name: newTypeName(), version: 1, schema: PURCHASE, ...members }
  const answer = await service.request('POST', '/schemas', { authorization, body })
  expect(answer.text).toContain(`"name":"${body.name}"`)
  expect(answer.status).toBe(201)
  return answer.json
}

/** Posts an offering with the client secret and returns it. */
export async function postOffering(
  service: TestService,
  members: Readonly<Record<string, unknown>>,
): Promise<Answer['json']> {
  const body = { credential_subject: SUBJECT, ...members }
  const answer = await service.request('POST', '/api/v1/offerings', { client: true, body })
  expect(answer.text).toContain('"offering_id"')
  expect(answer.status).toBe(201)
  return answer.json
}
