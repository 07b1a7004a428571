import { imageIdOf, imagePath, imageUri, integrityOf, ownImageId } from '../protocol/stored-image.js'

interface Stored {
  readonly uri: string
  readonly 'uri#integrity'?: string | undefined
}

interface StoredImages {
  readonly logo?: Stored | undefined
  readonly background_image?: Stored | undefined
  readonly svg_templates?: readonly Stored[] | undefined
}

/** An image with its public address. An image of this service also has its integrity metadata. */
function shownImage<Image extends Stored>(image: Image, baseUrl: string): Image {
  const id = imageIdOf(image.uri)
  return id === undefined ? image : { ...image, uri: imageUri(image.uri, baseUrl), 'uri#integrity': integrityOf(id) }
}

/** A stored display entry with the public addresses of its images. */
export function shownDisplay<Entry extends StoredImages>(entry: Entry, baseUrl: string): Entry {
  const { logo, background_image, svg_templates } = entry
  return {
    ...entry,
    ...(logo === undefined ? {} : { logo: shownImage(logo, baseUrl) }),
    ...(background_image === undefined ? {} : { background_image: shownImage(background_image, baseUrl) }),
    ...(svg_templates === undefined ? {} : { svg_templates: svg_templates.map((each) => shownImage(each, baseUrl)) }),
  }
}

/**
 * The reverse of {@link shownDisplay}: an entry that an answer showed, in its stored form. A caller who changes a record sends the entry
 * that the caller read.
 */
export function storedAgain<Entry extends { readonly logo?: Stored | undefined }>(
  entry: Entry,
  baseUrl: string,
): Entry {
  const id = entry.logo === undefined ? undefined : ownImageId(entry.logo.uri, [baseUrl])
  if (entry.logo === undefined || id === undefined) return entry
  const { 'uri#integrity': _computed, ...logo } = entry.logo
  return { ...entry, logo: { ...logo, uri: imagePath(id) } }
}
