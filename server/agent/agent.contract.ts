import { z } from 'zod'
import { route } from '../contract.js'
import { pageShape } from '../paging.js'

export const zDisplayEntry = z.strictObject({
  name: z.string().min(1).max(200),
  locale: z.string().min(1).max(35).optional(),
})

export const zAgentRecord = z.object({
  id: z.uuid(),
  did: z.string(),
  method: z.enum(['key', 'web']),
  display: z.array(zDisplayEntry),
  isDefault: z.boolean(),
  createdAt: z.iso.datetime(),
})

export const listIssuers = {
  meta: route('GET', '/agent/issuers', {
    tag: 'Agent',
    summary: "List the caller's issuer records and the default issuer",
    access: 'admin',
    errors: [400],
  }),
  input: z.strictObject(pageShape),
  output: z.array(zAgentRecord),
}

export const readDid = {
  meta: route('GET', '/agent/did/{did}', {
    tag: 'Agent',
    summary: 'Read a DID that this service created',
    description: 'The body is null for a DID that this service did not create.',
    access: 'admin',
    errors: [400],
  }),
  input: z.strictObject({ did: z.string() }),
  output: z
    .object({
      did: z.string(),
      method: z.string(),
      createdAt: z.iso.datetime(),
      document: z.record(z.string(), z.unknown()),
    })
    .nullable(),
}
