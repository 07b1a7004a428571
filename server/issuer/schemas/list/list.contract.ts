import { z } from 'zod'
import { route } from '../../../api/contract.js'
import { listShape, zListed } from '../../../api/paging.js'
import { zStoredDisplay, zTypeName } from '../schemas.contract.js'

export const listSchemas = {
  meta: route('GET', '/api/v1/schemas', {
    tag: 'Schemas',
    summary: 'List schema versions',
    description:
      'Versions of every name, the newest first. Superseded and withdrawn versions are included unless `active` excludes them. The list does not contain the schemas themselves.',
    access: 'user',
    errors: [400],
  }),
  input: z
    .strictObject({
      name: zTypeName.optional(),
      active: z.boolean().optional().meta({ description: '`true`: only the active version of each name.' }),
      ...listShape,
    })
    .prefault({}),
  output: zListed(
    z.object({
      id: z.uuid(),
      name: z.string(),
      version: z.number(),
      schemaUri: z.url(),
      title: z.string().optional(),
      description: z.string().optional(),
      display: z.array(zStoredDisplay).optional().meta({ description: 'Left out if it is larger than 16 KiB.' }),
      mdoc: z.literal(true).optional().meta({ description: 'Present if mobile documents of it can be issued.' }),
      active: z.boolean(),
      withdrawn: z.literal(true).optional(),
      createdAt: z.iso.datetime(),
    }),
  ),
}
