import type { z } from 'zod'
import type { Config } from '../../config/config.js'
import { claimPath } from '../../formats/dc-sd-jwt/issuing.js'
import { vctOf } from '../../formats/dc-sd-jwt/vct.js'
import { commonRules, describeClaims } from './claims.js'
import { displayOf, publicDisplay } from './display.js'
import { imageAddresses } from './images.js'
import type { typeMetadata } from './schemas.contract.js'
import type { CredentialSchema, SchemaDisplay, VersionRules } from './store.js'

/**
 * How a wallet may display the credential (SD-JWT VC, "Rendering Metadata"). Empty if the display entry has no members to
 * render.
 */
function renderingOf(drawing: Partial<SchemaDisplay>): Record<string, unknown> {
  const { logo, background_image, background_color, text_color, svg_templates } = drawing
  const members = Object.entries({ logo, background_image, background_color, text_color }).filter(
    ([, value]) => value !== undefined,
  )
  const rendering = {
    ...(members.length === 0 ? {} : { simple: Object.fromEntries(members) }),
    ...(svg_templates === undefined ? {} : { svg_templates }),
  }
  return Object.keys(rendering).length === 0 ? {} : { rendering }
}

const SVG_ID = /^[A-Za-z_]\w*$/

/**
 * The `svg_id` of a claim, by which an SVG template names the claim (SD-JWT VC, "SVG Rendering"): its path with `_` between the names.
 *
 * @returns undefined for elements of an array, for names with other characters, and for an id that an earlier claim has
 */
function svgIdsOf(paths: readonly (readonly (string | null)[])[]): (string | undefined)[] {
  const taken = new Set<string>()
  return paths.map((path) => {
    const id = path.join('_')
    if (path.includes(null) || !SVG_ID.test(id) || taken.has(id)) return undefined
    taken.add(id)
    return id
  })
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
    schema.display && publicDisplay(schema.display, config),
    title,
    imageAddresses(config, schema),
  )
  const claims = describeClaims(schema, (path) => rulesOf(path).sd !== 'never').filter(
    ({ path }) => claimPath(path) !== undefined,
  )
  const hasTemplates = display.some(({ svg_templates }) => svg_templates !== undefined)
  const svgIds = hasTemplates ? svgIdsOf(claims.map(({ path }) => path)) : []
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
    claims: claims.map((claim, at) => {
      const { sd, mandatory } = rulesOf(claim.path)
      const svgId = svgIds[at]
      return {
        path: [...claim.path],
        sd,
        ...(mandatory ? { mandatory } : {}),
        ...(svgId === undefined ? {} : { svg_id: svgId }),
        ...(claim.display.length === 0
          ? {}
          : { display: claim.display.map(({ locale, name }) => ({ locale, label: name })) }),
      }
    }),
  }
}
