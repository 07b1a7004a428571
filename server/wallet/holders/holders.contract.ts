import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { pageShape } from '../../api/paging.js'

const zHolderMethod = z.enum(['key', 'web']).meta({ description: "DID method of the holder's DID." })

export const zHolder = z.object({
  id: z.uuid(),
  did: z.string().optional(),
  method: zHolderMethod,
  createdAt: z.iso.datetime(),
})

export const createHolder = {
  meta: route('POST', '/agent/holder', {
    tag: 'Agent',
    summary: 'Create a holder with a DID',
    description:
      'A hosted wallet. It belongs to the caller: for anybody else, admins included, `/holders/{holderId}/…` is a ' +
      '403.',
    access: 'admin',
    status: 201,
    errors: [400],
  }),
  input: z.strictObject({ method: zHolderMethod }),
  output: zHolder,
}

export const listHolders = {
  meta: route('GET', '/agent/holders', {
    tag: 'Agent',
    summary: "List the caller's own holders",
    description: "The newest first. The answer's `Link` header names the next page, where there is one.",
    access: 'admin',
    errors: [400],
  }),
  input: z.strictObject(pageShape).prefault({}),
  output: z.array(zHolder),
}

const zHolderDid = z.object({ did: z.string(), method: z.string(), createdAt: z.iso.datetime() })

export const listHolderDids = {
  meta: route('GET', '/holders/{holderId}/dids', {
    tag: 'Holders',
    summary: "List a holder's DIDs",
    description: 'The newest first: the one that it was made with, and those that were added.',
    access: 'holder',
    errors: [400],
  }),
  input: z.strictObject({ holderId: z.string() }),
  output: z.array(zHolderDid),
}

export const createHolderDid = {
  meta: route('POST', '/holders/{holderId}/dids', {
    tag: 'Holders',
    summary: 'Give a holder a further DID with a key of its own',
    description: 'The private key stays in this service. Credentials can be bound to it from then on.',
    access: 'holder',
    status: 201,
    errors: [400],
  }),
  input: z.strictObject({ holderId: z.string(), method: zHolderMethod }),
  output: zHolderDid,
}

export const deleteHolderDid = {
  meta: route('DELETE', '/holders/{holderId}/dids/{did}', {
    tag: 'Holders',
    summary: "Delete one of a holder's DIDs and its key, unless credentials are bound to it",
    description: 'While a credential is bound to it, it is a 409: delete the credential first.',
    access: 'holder',
    status: 204,
    errors: [400, errors.holderDidNotFound(), errors.holderDidInUse()],
  }),
  input: z.strictObject({ holderId: z.string(), did: z.string() }),
  output: z.void(),
}
