import type { Config } from '../../config/config.js'

/** Address of a schema's JSON Schema: what `credentialSchema.id` points to. */
export const schemaUri = (config: Pick<Config, 'issuerBaseUrl'>, id: string): string =>
  `${config.issuerBaseUrl}/api/v1/schemas/${id}`
