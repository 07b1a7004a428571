/** Id of a stored image: the SHA-256 of its bytes in hexadecimal. */
const ID = /^[\da-f]{64}$/

export const isImageId = (text: string): boolean => ID.test(text)

/** The path of a stored image below the base URL. Display entries are stored with this path, so that a change of the base URL does no harm. */
export const imagePath = (id: string): string => `/images/${id}`

/**
 * The id in the stored reference of an image.
 *
 * @returns undefined for the address of another host, and for a `data:` URI
 */
export function imageIdOf(reference: string): string | undefined {
  const id = reference.startsWith('/images/') ? reference.slice('/images/'.length) : undefined
  return id !== undefined && isImageId(id) ? id : undefined
}

/** Whether a text can be the public address of a stored image of some installation. Its scheme may be `http:` in development. */
export const isImageAddress = (text: string): boolean => /^https?:\/\/[^\s?#\\@]+\/images\/[\da-f]{64}$/.test(text)

/**
 * The id of an image of this installation.
 *
 * @param uri the address that a caller sent
 * @param baseUrls the base URLs of the installation
 * @returns undefined for every other address
 */
export function ownImageId(uri: string, baseUrls: readonly string[]): string | undefined {
  const baseUrl = baseUrls.find((each) => uri.startsWith(`${each}/images/`))
  return baseUrl === undefined ? undefined : imageIdOf(uri.slice(baseUrl.length))
}

/** The public address of an image: a stored path gets the base URL, every other URI stays as it is. */
export const imageUri = (reference: string, baseUrl: string): string =>
  imageIdOf(reference) === undefined ? reference : `${baseUrl}${reference}`

/** Integrity metadata (W3C Subresource Integrity §3.5; SD-JWT VC, "Integrity of Referenced Documents") of a stored image. */
export const integrityOf = (id: string): string => `sha256-${Buffer.from(id, 'hex').toString('base64')}`

/** Whether a text is one integrity metadata value: a hash algorithm and the base64 of a digest with its length. */
export function isIntegrity(text: string): boolean {
  const [, algorithm, digest = ''] = /^(sha256|sha384|sha512)-([A-Za-z0-9+/]{43,88}={0,2})$/.exec(text) ?? []
  const bytes = { sha256: 32, sha384: 48, sha512: 64 }[algorithm ?? '']
  const decoded = Buffer.from(digest, 'base64')
  return bytes !== undefined && decoded.length === bytes && decoded.toString('base64') === digest
}
