import { z } from 'zod'
import { route } from '../../../api/contract.js'
import { listShape, zListed } from '../../../api/paging.js'
import { zStoredDisplay, zTypeName } from '../schemas.contract.js'

export const listSchemas = {
  meta: route('GET', '/api/v1/schemas', {
    tag: 'Schemas',
    summary: 'List schema versions',
    description:
      'The newest first, of every name, superseded and withdrawn ones too unless `active` says otherwise. The schema itself is not in it.',
    access: 'user',
    errors: [400],
  }),
  input: z
    .strictObject({
      name: zTypeName.optional(),
      active: z.boolean().optional().meta({ description: '`true` for the active version of each name alone.' }),
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
      display: z.array(zStoredDisplay).optional().meta({ description: 'Left out where it is larger than 16 KiB.' }),
      mdoc: z.literal(true).optional().meta({ description: 'There are mobile documents of it.' }),
      active: z.boolean(),
      withdrawn: z.literal(true).optional(),
      createdAt: z.iso.datetime(),
    }),
  ),
}
