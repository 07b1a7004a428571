import type { z } from 'zod'
import type { Config } from '../../../config/config.js'
import { publicDisplay } from '../display.js'
import { schemaUri } from '../schema-uri.js'
import type { listSchemas } from './list.contract.js'
import type { ListedSchema } from './store.js'

type Shown = z.input<typeof listSchemas.output>['items'][number]

/** A schema version as the list shows it. */
export const listedSchema = (schema: ListedSchema, config: Pick<Config, 'issuerBaseUrl'>): Shown => ({
  id: schema.id,
  name: schema.name,
  version: schema.version,
  schemaUri: schemaUri(config, schema.id),
  ...(schema.title === null ? {} : { title: schema.title }),
  ...(schema.description === null ? {} : { description: schema.description }),
  ...(schema.display === null ? {} : { display: publicDisplay(schema.display, config) }),
  ...(schema.hasMdoc ? { mdoc: true as const } : {}),
  active: schema.active,
  ...(schema.withdrawn ? { withdrawn: true as const } : {}),
  createdAt: schema.createdAt.toISOString(),
})
