import type { z } from 'zod'
import type { Config } from '../../config/config.js'
import { claimPath } from '../../formats/dc-sd-jwt/issuing.js'
import { vctOf } from '../../formats/dc-sd-jwt/vct.js'
import { commonRules, describeClaims } from './claims.js'
import { displayOf } from './display.js'
import { imageAddresses } from './images.js'
import type { typeMetadata } from './schemas.contract.js'
import type { CredentialSchema, SchemaDisplay, VersionRules } from './store.js'

/**
 * How a wallet may display the credential (SD-JWT VC, "Rendering Method "simple""). Empty if the display entry has no
 * members to render.
 */
function renderingOf(drawing: Partial<SchemaDisplay>): Record<string, unknown> {
  const { logo, background_image, background_color, text_color } = drawing
  const members = Object.entries({ logo, background_image, background_color, text_color }).filter(
    ([, value]) => value !== undefined,
  )
  return members.length === 0 ? {} : { rendering: { simple: Object.fromEntries(members) } }
}

/**
 * The type metadata of a schema (SD-JWT VC §6.2), from the description in one version.
 *
 * @param versions every version of the schema's name; undefined if the versions are too large to be compared
 */
export function typeMetadataOf(
  schema: CredentialSchema,
  versions: readonly VersionRules[] | undefined,
  config: Pick<Config, 'issuerBaseUrl'>,
): z.input<typeof typeMetadata.output> {
  const title = schema.title ?? schema.name
  const rulesOf = commonRules(versions)
  const display: readonly (SchemaDisplay & { readonly locale: string })[] = displayOf(
    schema.display,
    title,
    imageAddresses(config, schema),
  )
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
    claims: describeClaims(schema, (path) => rulesOf(path).sd !== 'never')
      .filter(({ path }) => claimPath(path) !== undefined)
      .map((claim) => {
        const { sd, mandatory } = rulesOf(claim.path)
        return {
          path: [...claim.path],
          sd,
          ...(mandatory ? { mandatory } : {}),
          ...(claim.display.length === 0
            ? {}
            : { display: claim.display.map(({ locale, name }) => ({ locale, label: name })) }),
        }
      }),
  }
}
