import { z } from 'zod'
import { route } from '../api/contract.js'
import { errors } from '../api/errors.js'
import { listShape, mineShape, zListed } from '../api/paging.js'
import { zProtocolReply } from '../protocol/oauth/reply.js'
import { isIntegrity } from '../protocol/stored-image.js'
import { zImageId } from './image-reference.js'
import { IMAGE_TYPES, MAX_IMAGE_BYTES } from './read/read-image.js'

/** Base64 needs four characters for three bytes. One character more lets a slightly too large image reach the check that names its size. */
const MAX_BASE64 = 4 * Math.ceil((MAX_IMAGE_BYTES * 2) / 3)

/** A PNG with one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** How many images a caller may have that no record uses. */
export const MAX_UNUSED = 200

/** After how many days an image is removed that no record uses. */
export const UNUSED_DAYS = 30

export const addImage = {
  meta: route('POST', '/api/v1/images', {
    tag: 'Images',
    summary: 'Store an image',
    description:
      'A PNG, JPEG or SVG of at most 256 KiB, for the display of credential types, issuers and verifiers. The same bytes are stored once. ' +
      'An SVG must be a static drawing: scripts, event attributes, foreign content, references to other places and entities are refused, ' +
      `not removed. A caller may have ${MAX_UNUSED} images that no record uses. Such images are removed after ${UNUSED_DAYS} days.`,
    access: 'clientOrEither',
    idempotent: true,
    status: 201,
    requestExample: { data: PIXEL, mediaType: 'image/png' },
    errors: [400, errors.tooManyImages(MAX_UNUSED)],
  }),
  input: z.strictObject({
    data: z.base64().min(1).max(MAX_BASE64).meta({ description: 'The bytes of the image in base64.' }),
    mediaType: z
      .enum(IMAGE_TYPES)
      .optional()
      .meta({ description: 'The expected type. An image of another type is refused.' }),
  }),
  output: z.object({
    id: zImageId.meta({ description: 'SHA-256 of the bytes, in hexadecimal.' }),
    uri: z.url().meta({ description: 'The public address of the image.' }),
    integrity: z.string().refine(isIntegrity).meta({ description: 'Integrity metadata (W3C SRI): `sha256-…`.' }),
    mediaType: z.enum(IMAGE_TYPES),
    width: z.number().meta({ description: 'Pixels; for an SVG, CSS pixels or units of its `viewBox`.' }),
    height: z.number(),
  }),
}

/** Counting of the records that use an image ends at this number. */
export const MOST_USES = 1_000

const zListedImage = addImage.output.extend({
  size: z.int().meta({ description: 'The number of bytes.' }),
  uses: z
    .int()
    .max(MOST_USES)
    .meta({
      description: `How many records use the image: versions of credential types, issuers and verifiers. At most ${MOST_USES} are counted.`,
    }),
  createdAt: z.iso
    .datetime()
    .meta({ description: 'The first upload: in the own list of a caller, the first upload by this caller.' }),
  removedAfter: z.iso
    .datetime()
    .optional()
    .meta({ description: 'When the service may remove the image. Absent for an image in use.' }),
})

export const listImages = {
  meta: route('GET', '/api/v1/images', {
    tag: 'Images',
    summary: 'List images',
    description:
      'Newest first. Admins and the client secret see the images of all callers, other users the images that they uploaded.',
    access: 'clientOrEither',
    errors: [400],
  }),
  input: z
    .strictObject({
      unused: z.boolean().optional().meta({ description: '`true` for only the images that no record uses.' }),
      ...mineShape,
      ...listShape,
    })
    .prefault({}),
  output: zListed(zListedImage),
}

export const deleteImage = {
  meta: route('DELETE', '/api/v1/images/{id}', {
    tag: 'Images',
    summary: 'Delete an image that no record uses',
    description:
      'Users delete their own uploads. If other callers uploaded the same bytes too, the image stays for them. Admins and the client secret ' +
      'delete the image itself. The answer for an image in use is a 409 that says how many records use it.',
    access: 'clientOrEither',
    status: 204,
    errors: [400, errors.imageNotFound(), errors.imageInUse(2)],
  }),
  input: z.strictObject({ id: z.string() }),
  output: z.void(),
}

const [PNG, ...FURTHER] = IMAGE_TYPES

export const readImage = {
  meta: route('GET', '/images/{id}', {
    tag: 'Images',
    summary: 'A stored image',
    description:
      'The bytes never change, so caches may keep them for a year. Removed and unknown images have the same answer.',
    access: 'public',
    forWallets: true,
    kind: 'protocol',
    produces: PNG,
    alsoProduces: FURTHER,
    envelope: true,
    errors: [400, errors.imageNotFound()],
  }),
  input: z.object({ id: z.string() }),
  output: zProtocolReply,
}
