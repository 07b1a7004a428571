import { z } from 'zod'
import { isImageUri } from '../protocol/openid4vci/display.js'
import { isImageAddress, isImageId, isIntegrity } from '../protocol/stored-image.js'

/** Enough for a small image in a `data:` URI. */
const MAX_IMAGE_URI = 32_768

const zImageUri = z
  .string()
  .max(MAX_IMAGE_URI)
  .refine((text) => isImageUri(text) || isImageAddress(text), {
    error: 'must be an https: address or a data:image/ URI',
  })
  .meta({
    format: 'uri',
    description:
      'An `https:` URL or a `data:image/…` URI. Metadata contain a small image in base64. For a large image and an SVG, which wallet ' +
      'libraries refuse in a data URI, they name an address of this service.',
  })

export const zImageId = z
  .string()
  .refine(isImageId, { error: 'must be the id of an image: 64 hexadecimal digits' })
  .meta({ description: 'The id of an image that POST /api/v1/images stored.', example: 'f'.repeat(64) })

const zIntegrity = z
  .string()
  .max(100)
  .refine(isIntegrity, { error: 'must be integrity metadata such as sha256-…' })
  .meta({
    description:
      'Integrity metadata (W3C SRI) of an image on another host. The service computes it for its own images.',
  })

/** The members that name an image: an address, or the id of a stored image. */
const shape = {
  uri: zImageUri.optional(),
  image: zImageId.optional(),
  'uri#integrity': zIntegrity.optional(),
}

interface Named {
  readonly uri?: string | undefined
  readonly image?: string | undefined
  readonly 'uri#integrity'?: string | undefined
}

const namesOne = ({ uri, image }: Named): boolean => (uri === undefined) !== (image === undefined)
const NEITHER_OR_BOTH = { error: 'must have either uri or image' }

export const zLogo = z
  .strictObject({ ...shape, alt_text: z.string().max(200).optional() })
  .refine(namesOne, NEITHER_OR_BOTH)

export const zBackgroundImage = z.strictObject(shape).refine(namesOne, NEITHER_OR_BOTH)

/** SD-JWT VC, "SVG Template Properties". */
export const zTemplateProperties = z
  .strictObject({
    orientation: z.enum(['portrait', 'landscape']).optional(),
    color_scheme: z.enum(['light', 'dark']).optional(),
    contrast: z.enum(['normal', 'high']).optional(),
  })
  .refine((properties) => Object.keys(properties).length > 0, { error: 'must not be empty' })

/** SD-JWT VC, "Rendering Method svg_templates": several templates need properties, by which a wallet chooses one. */
export const zSvgTemplates = z
  .array(z.strictObject({ ...shape, properties: zTemplateProperties.optional() }).refine(namesOne, NEITHER_OR_BOTH))
  .min(1)
  .max(12)
  .refine((templates) => templates.length === 1 || templates.every(({ properties }) => properties !== undefined), {
    error: 'must have properties in each of several templates',
  })
  .meta({
    description:
      'SVG drawings of the whole credential, for wallets that draw them. `{{claim}}` in a text is replaced by the value of the claim. ' +
      'Only type metadata of SD-JWT VC contain them.',
  })

/** A stored image as answers show it: its public address. */
const shownShape = { uri: z.string(), 'uri#integrity': z.string().optional() }
export const zShownLogo = z.object({ ...shownShape, alt_text: z.string().optional() })
export const zShownBackgroundImage = z.object(shownShape)
export const zShownSvgTemplates = z.array(
  z.object({
    ...shownShape,
    properties: zTemplateProperties.optional(),
  }),
)
