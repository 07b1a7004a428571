import { hexOf, readableOn } from '../colour.js'
import { pictureOf } from './picture.js'

/** The members of a display entry that a card draws (OpenID4VCI 1.0 §12.2.4). */
export interface CardDisplay {
  readonly background_color?: string | undefined
  readonly text_color?: string | undefined
  readonly background_image?: { readonly uri: string } | undefined
  readonly logo?: { readonly uri: string; readonly alt_text?: string | undefined } | undefined
}

/** How a card looks. Both renderers take it from here: the console's component and the HTML of the pages. */
export interface CardLook {
  /** Six hexadecimal digits, so that it can be written into a style. */
  readonly background: string
  /** A text colour with a contrast of at least 4.5 to the background. */
  readonly text: string
  /** The address of the picture behind the content. */
  readonly ground: string | undefined
  readonly logo: { readonly src: string; readonly alt: string } | undefined
}

/** The colours of a card whose type names no colour that can be drawn. */
export const PLAIN_LOOK = { background: '#33415c', text: '#ffffff' } as const

/** The id of a stored image: alone, as a stored path, or at the end of the public address of an installation. */
const IMAGE_ID = /^(?:(?:https?:\/\/[^\s?#\\@]+)?\/images\/)?([\da-f]{64})$/
const MAX_ADDRESS = 4096

/**
 * The address under which a card shows an image: a PNG or JPEG in a data URI, or an image of this service. An image of another host is
 * not shown: the host would learn who looks at the card. The id of a stored image is the hash of its bytes. So this service has the
 * same image, or none.
 *
 * @param ownAddress the address of a path of this service
 */
export function cardImage(uri: string, ownAddress: (path: string) => string): string | undefined {
  if (uri.startsWith('data:')) return pictureOf(uri)
  const id = uri.length > MAX_ADDRESS ? undefined : IMAGE_ID.exec(uri)?.[1]
  return id === undefined ? undefined : ownAddress(`/images/${id}`)
}

/**
 * The look of a card. A text colour that is hard to read gives way to black or white (WCAG 2.2, 1.4.3).
 *
 * @param ownAddress the address of a path of this service
 */
export function cardLook(display: CardDisplay | undefined, ownAddress: (path: string) => string): CardLook {
  const { background_color: colour, text_color: wanted, background_image: ground, logo } = display ?? {}
  const background = (colour === undefined ? undefined : hexOf(colour)) ?? PLAIN_LOOK.background
  const src = logo === undefined ? undefined : cardImage(logo.uri, ownAddress)
  return {
    background,
    text: readableOn(background, wanted === undefined ? undefined : hexOf(wanted)),
    ground: ground === undefined ? undefined : cardImage(ground.uri, ownAddress),
    logo: src === undefined ? undefined : { src, alt: logo?.alt_text ?? '' },
  }
}

/** The status of a credential, as far as a card shows it. */
export type CardState = 'valid' | 'suspended' | 'revoked' | 'expired' | 'unknown'

/** Whether a verifier would refuse a credential with this status. */
export const isRefused = (state: CardState): boolean => state !== 'valid' && state !== 'unknown'
