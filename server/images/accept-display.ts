import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import { isForeignKeyViolation } from '../database/errors.js'
import { isImageUri } from '../protocol/openid4vci/display.js'
import { imageIdOf, imagePath, integrityOf, ownImageId } from '../protocol/stored-image.js'
import type { ImageStore } from './store.js'

/** An image as callers name it: by an address, or by the id of a stored image. */
interface NamedImage {
  readonly uri?: string | undefined
  readonly image?: string | undefined
  readonly 'uri#integrity'?: string | undefined
}

/** An image as records store it. The `uri` of an image of this service is only its path. */
export type StoredImage<Named extends NamedImage> = Omit<Named, 'image' | 'uri'> & { readonly uri: string }

/** The members of a display entry that show images, as callers send them. */
export interface PostedDisplay {
  readonly logo?: (NamedImage & { readonly alt_text?: string | undefined }) | undefined
  readonly background_image?: NamedImage | undefined
  readonly svg_templates?: readonly (NamedImage & { readonly properties?: object | undefined })[] | undefined
}

/** A display entry as records store it. */
export type StoredDisplay<Entry extends PostedDisplay> = Omit<Entry, keyof PostedDisplay> & {
  readonly [Member in keyof Entry & keyof PostedDisplay]: Entry[Member] extends readonly (infer Template)[] | undefined
    ? Template extends NamedImage
      ? StoredImage<Template>[] | undefined
      : never
    : NonNullable<Entry[Member]> extends NamedImage
      ? StoredImage<NonNullable<Entry[Member]>> | undefined
      : never
}

/** Accepted display entries, and the images of this service that they use. */
export interface AcceptedDisplay<Entry extends PostedDisplay> {
  readonly entries: StoredDisplay<Entry>[]
  readonly imageIds: readonly string[]
}

/** Dependencies of {@link createAcceptDisplay}. */
export interface AcceptDisplayPorts {
  readonly store: Pick<ImageStore, 'claim'>
  readonly config: Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>
  readonly clock: () => Date
}

/**
 * Accepts the display entries of a record. Its images may be stored images, by id or address, or images on other hosts.
 *
 * @throws 400 naming the member whose image is not stored, whose template is no SVG, or whose address is not `https:`
 */
export type AcceptDisplay = <Entry extends PostedDisplay>(entries: readonly Entry[]) => Promise<AcceptedDisplay<Entry>>

/** Creates {@link AcceptDisplay} from its dependencies. */
export function createAcceptDisplay({ store, config, clock }: AcceptDisplayPorts): AcceptDisplay {
  const baseUrls = [config.issuerBaseUrl, config.verifierBaseUrl]

  function storedImage<Named extends NamedImage>(
    { image, uri = '', ...others }: Named,
    place: string,
  ): StoredImage<Named> {
    const id = image ?? ownImageId(uri, baseUrls)
    // The cast is needed because the compiler does not relate `others` to the type parameter.
    if (id === undefined && isImageUri(uri)) return { ...others, uri } as StoredImage<Named>
    if (id === undefined) throw errors.badRequest(`${place}.uri must be an https: address or a data:image/ URI`)
    const { 'uri#integrity': integrity, ...own } = others
    if (integrity !== undefined && integrity !== integrityOf(id))
      throw errors.badRequest(`${place}.uri#integrity does not fit the image`)
    // As above: the compiler does not relate `own` to the type parameter.
    return { ...own, uri: imagePath(id) } as unknown as StoredImage<Named>
  }

  function storedEntry<Entry extends PostedDisplay>(entry: Entry, place: string) {
    const { logo, background_image, svg_templates, ...others } = entry
    const images: { readonly place: string; readonly uri: string; readonly isTemplate: boolean }[] = []
    const stored = <Named extends NamedImage>(named: Named, member: string, isTemplate = false): StoredImage<Named> => {
      const image = storedImage(named, `${place}.${member}`)
      images.push({ place: `${place}.${member}`, uri: image.uri, isTemplate })
      return image
    }
    const members = {
      ...others,
      ...(logo === undefined ? {} : { logo: stored(logo, 'logo') }),
      ...(background_image === undefined ? {} : { background_image: stored(background_image, 'background_image') }),
      ...(svg_templates === undefined
        ? {}
        : { svg_templates: svg_templates.map((each, at) => stored(each, `svg_templates.${at}`, true)) }),
    }
    // The cast is needed because the compiler does not follow optional members through a rest object.
    return { entry: members as unknown as StoredDisplay<Entry>, images }
  }

  return async (entries) => {
    const accepted = entries.map((entry, at) => storedEntry(entry, `display.${at}`))
    const own = accepted
      .flatMap(({ images }) => images)
      .flatMap(({ uri, ...image }) => {
        const id = imageIdOf(uri)
        return id === undefined ? [] : [{ ...image, id }]
      })
    const imageIds = [...new Set(own.map(({ id }) => id))]
    const known = await store.claim(imageIds, clock())
    for (const { place, id, isTemplate } of own) {
      const type = known.get(id)
      if (type === undefined) throw errors.badRequest(`${place} names no image of this service`)
      if (isTemplate && type !== 'image/svg+xml') throw errors.badRequest(`${place} must be an SVG`)
    }
    return { entries: accepted.map(({ entry }) => entry), imageIds }
  }
}

/**
 * Writes a record whose display was accepted. Another caller may delete one of its images before the record is written.
 *
 * @throws 400 if an image was deleted; then nothing was written
 */
export async function whileImagesStay<Written>(write: () => Promise<Written>): Promise<Written> {
  try {
    return await write()
  } catch (thrown) {
    if (!isForeignKeyViolation(thrown)) throw thrown
    throw errors.badRequest('display names an image that was deleted meanwhile')
  }
}
