import { cardImage } from '../../../server/protocol/credential-card/look.js'
import { serviceAddress } from '../address.js'

/**
 * The address from which the console shows an image: a stored image or a data URI. The console loads nothing from other hosts.
 *
 * @param image the id or the address of an image
 */
export function shownAddress(image: string): string | undefined {
  return image.startsWith('data:image/') ? image : cardImage(image, serviceAddress)
}
