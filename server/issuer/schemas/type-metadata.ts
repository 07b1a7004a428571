import type { z } from 'zod'
import type { Config } from '../../config.js'
import { describeSdJwtClaims, isSelectivelyDisclosable } from './claims.js'
import { displayOf } from './display.js'
import type { typeMetadata } from './schemas.contract.js'
import type { CredentialSchema, SchemaDisplay } from './store.js'

const DEFAULT_LOCALE = 'en'

/** The `vct` of an SD-JWT VC of a schema: the address of its type metadata. */
export const vctOf = (config: Pick<Config, 'issuerBaseUrl'>, name: string): string =>
  `${config.issuerBaseUrl}/vct/${name}`

/** How a wallet may draw the credential (SD-JWT VC, "Rendering Method "simple""); nothing where the schema does not say. */
function renderingOf({ logo, background_color, text_color }: Partial<SchemaDisplay>): Record<string, unknown> {
  const members = Object.entries({ logo, background_color, text_color }).filter(([, value]) => value !== undefined)
  return members.length === 0 ? {} : { rendering: { simple: Object.fromEntries(members) } }
}

/** Type metadata of a schema's active version (SD-JWT VC §6.2). */
export function typeMetadataOf(schema: CredentialSchema, config: Config): z.input<typeof typeMetadata.output> {
  const title = schema.title ?? schema.name
  const display: readonly (SchemaDisplay & { readonly locale: string })[] = displayOf(schema.display, title)
  return {
    vct: vctOf(config, schema.name),
    name: title,
    ...(schema.description === null ? {} : { description: schema.description }),
    display: display.map(({ locale, name, description, ...drawing }) => ({
      locale,
      name,
      ...(description === undefined ? {} : { description }),
      ...renderingOf(drawing),
    })),
    claims: describeSdJwtClaims(schema.body).map((claim) => ({
      path: [...claim.path],
      sd: isSelectivelyDisclosable(schema, claim.path) ? ('always' as const) : ('never' as const),
      ...(claim.title === undefined ? {} : { display: [{ locale: DEFAULT_LOCALE, label: claim.title }] }),
    })),
  }
}
