import type { Config } from '../../config/config.js'

/** The URL of a schema's JSON Schema, which is the `credentialSchema.id` of its credentials. */
export const schemaUri = (config: Pick<Config, 'issuerBaseUrl'>, id: string): string =>
  `${config.issuerBaseUrl}/api/v1/schemas/${id}`
