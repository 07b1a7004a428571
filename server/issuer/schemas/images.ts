import type { Config } from '../../config/config.js'
import { type DataImage, isServed, readDataImage } from '../../protocol/openid4vci/data-image.js'
import { IMAGES } from '../../protocol/openid4vci/display.js'
import type { ImageAddresses } from './display.js'
import { schemaUri } from './schema-uri.js'
import type { CredentialSchema } from './store.js'

/** The public addresses of a version's images: the position of the display entry, and the member. */
export const imageAddresses =
  (config: Pick<Config, 'issuerBaseUrl'>, { id }: Pick<CredentialSchema, 'id'>): ImageAddresses =>
  (at, member) =>
    `${schemaUri(config, id)}/images/${at}-${member}`

const NAME = /^(\d{1,2})-(\w+)$/

/** The image at the last part of such an address; undefined if the display has no image there that is served. */
export function imageNamed({ display }: Pick<CredentialSchema, 'display'>, name: string): DataImage | undefined {
  const [, at = '', wanted] = NAME.exec(name) ?? []
  const member = IMAGES.find((each) => each === wanted)
  const posted = member === undefined ? undefined : display?.[Number(at)]?.[member]
  const image = posted === undefined ? undefined : readDataImage(posted.uri)
  return image !== undefined && isServed(image) ? image : undefined
}
