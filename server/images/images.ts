import type { z } from 'zod'
import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import { DAY_SECONDS, dueRows, type MaintenanceTask } from '../maintenance/task.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { imagePath, imageUri, integrityOf, isImageId } from '../protocol/stored-image.js'
import { type addImage, type listImages, MAX_UNUSED, UNUSED_DAYS } from './images.contract.js'
import { ImageFault } from './read/image-fault.js'
import { type CheckedImage, type ImageType, readImage } from './read/read-image.js'
import type { ImageStore, ListedImage } from './store.js'

/**
 * Headers of images. A browser that opens an SVG directly runs nothing in it and loads nothing for it, in addition to the check at the
 * upload.
 */
const HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

/** @throws 400 naming the fault */
async function checked(data: string, mediaType: ImageType | undefined): Promise<CheckedImage> {
  try {
    return await readImage(Buffer.from(data, 'base64'), mediaType)
  } catch (thrown) {
    if (!(thrown instanceof ImageFault)) throw thrown
    throw errors.badRequest(`image ${thrown.message}`)
  }
}

/** Dependencies of {@link createImages}. */
export interface ImagesPorts {
  readonly store: Pick<ImageStore, 'add' | 'find' | 'page' | 'remove' | 'removeUnused'>
  readonly config: Pick<Config, 'issuerBaseUrl'>
  readonly clock: () => Date
}

export type Images = ReturnType<typeof createImages>

/** The caller of an operation on stored images. */
export interface ImageCaller {
  /** The `sub`; undefined for the client secret. */
  readonly sub: string | undefined
  /** An admin or the client secret, who reach the images of all callers. */
  readonly reachesAll: boolean
}

/** The `uploader` of the images that a caller uploads. */
const uploaderOf = (sub: string | undefined): string => sub ?? ''

type Listing = z.output<typeof listImages.input>
type Listed = z.input<typeof listImages.output>['items'][number]

/** The images of credential types, issuers and verifiers. */
export function createImages({ store, config, clock }: ImagesPorts) {
  const tasks: readonly MaintenanceTask[] = [
    dueRows({
      name: 'remove unused images',
      everyMs: 3_600_000,
      seconds: UNUSED_DAYS * DAY_SECONDS,
      batch: store.removeUnused,
    }),
  ]

  const described = ({ id, mediaType, width, height }: Omit<CheckedImage, 'bytes'>) => ({
    id,
    uri: imageUri(imagePath(id), config.issuerBaseUrl),
    integrity: integrityOf(id),
    mediaType,
    width,
    height,
  })

  return {
    tasks,

    /**
     * Stores an image.
     *
     * @param sub the `sub` of the caller; undefined for the client secret
     * @throws 400 naming the fault of the image, 409 if the caller has too many unused images
     */
    async add(sub: string | undefined, { data, mediaType }: z.output<typeof addImage.input>) {
      const image = await checked(data, mediaType)
      if (!(await store.add(image, uploaderOf(sub), MAX_UNUSED, clock()))) throw errors.tooManyImages(MAX_UNUSED)
      return described(image)
    },

    store,

    /** The images that a list of the caller shows. */
    wanted: ({ mine, unused }: Listing, { sub, reachesAll }: ImageCaller) => ({
      uploader: reachesAll && mine !== true ? undefined : uploaderOf(sub),
      unused: unused === true,
    }),

    /** An image as lists show it. */
    listed: (image: ListedImage): Listed => ({
      ...described(image),
      size: image.size,
      uses: image.uses,
      createdAt: image.createdAt.toISOString(),
      ...(image.uses > 0
        ? {}
        : { removedAfter: new Date(image.touchedAt.getTime() + UNUSED_DAYS * DAY_SECONDS * 1000).toISOString() }),
    }),

    /** Deletes an image that no record uses. @throws 404 for an image that the caller does not reach, 409 for an image in use */
    async remove(id: string, { sub, reachesAll }: ImageCaller): Promise<void> {
      const outcome = isImageId(id)
        ? await store.remove(id, reachesAll ? undefined : uploaderOf(sub), sub ?? null)
        : 'unknown'
      if (outcome === 'unknown') throw errors.imageNotFound()
      if (outcome !== 'removed') throw errors.imageInUse(outcome.uses)
    },

    /** The bytes of an image. @throws 404 */
    async read(id: string): Promise<ProtocolReply> {
      const image = isImageId(id) ? await store.find(id) : undefined
      if (image === undefined) throw errors.imageNotFound()
      return { status: 200, headers: { ...HEADERS, 'content-type': image.mediaType }, body: image.bytes }
    },
  }
}
