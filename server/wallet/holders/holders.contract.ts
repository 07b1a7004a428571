import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { pageShape } from '../../api/paging.js'
import { zPlainName, zShownPlainName } from '../../names/names.js'

const zHolderMethod = z.enum(['key', 'web']).meta({ description: "DID method of the holder's DID." })

export const zHolder = z.object({
  id: z.uuid(),
  did: z.string().optional(),
  method: zHolderMethod,
  name: zShownPlainName.optional(),
  createdAt: z.iso.datetime(),
})

export const createHolder = {
  meta: route('POST', '/agent/holder', {
    tag: 'Agent',
    summary: 'Create a holder with a DID',
    description:
      'A holder is a hosted wallet. It belongs to the caller: all other users, including admins, get a 403 for ' +
      '`/holders/{holderId}/…`.',
    access: 'admin',
    idempotent: true,
    status: 201,
    errors: [400],
  }),
  input: z.strictObject({ method: zHolderMethod, name: zPlainName.optional() }),
  output: zHolder,
}

export const listHolders = {
  meta: route('GET', '/agent/holders', {
    tag: 'Agent',
    summary: "List the caller's own holders",
    description: 'Newest first. The `Link` header of the reply names the next page, if there is one.',
    access: 'admin',
    errors: [400],
  }),
  input: z.strictObject(pageShape).prefault({}),
  output: z.array(zHolder),
}

export const renameHolder = {
  meta: route('POST', '/holders/{holderId}/name', {
    tag: 'Holders',
    summary: 'Give a holder another name',
    description: 'The name is for people. The DIDs, keys and credentials of the holder do not change.',
    access: 'holder',
    errors: [400],
  }),
  input: z.strictObject({ holderId: z.string(), name: zPlainName }),
  output: zHolder,
}

const zHolderDid = z.object({ did: z.string(), method: z.string(), createdAt: z.iso.datetime() })

export const listHolderDids = {
  meta: route('GET', '/holders/{holderId}/dids', {
    tag: 'Holders',
    summary: "List a holder's DIDs",
    description: 'Newest first: the DID that the holder was created with, and added DIDs.',
    access: 'holder',
    errors: [400],
  }),
  input: z.strictObject({ holderId: z.string() }),
  output: z.array(zHolderDid),
}

export const createHolderDid = {
  meta: route('POST', '/holders/{holderId}/dids', {
    tag: 'Holders',
    summary: 'Add a DID with its own key to a holder',
    description: 'The private key stays in this service. Credentials can then be bound to the DID.',
    access: 'holder',
    idempotent: true,
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
    description: '409 while a credential is bound to the DID: delete the credential first.',
    access: 'holder',
    status: 204,
    errors: [400, errors.holderDidNotFound(), errors.holderDidInUse()],
  }),
  input: z.strictObject({ holderId: z.string(), did: z.string() }),
  output: z.void(),
}
