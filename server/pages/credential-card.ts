import { type Html, html, spoken } from './html.js'
import type { Spoken } from './languages.js'
import { shortened } from './words.js'

/** The content of a credential card, which people recognize as a credential. */
export interface CredentialCard {
  readonly name: Spoken
  /** The text below the name: the issuer, or a description. */
  readonly text?: Spoken | undefined
  /** The colour from the type's display. It may be any text, even a text that is no colour. */
  readonly background: string | undefined
  /** The heading of the list of claims. */
  readonly listed: string
  /** The titles of the claims. */
  readonly claims: readonly Spoken[]
}

const MOST_CLAIMS = 12
const MOST_TITLE = 80
const MOST_NAME = 120
const MOST_TEXT = 300

const COLOUR = /^#(?:[\da-f]{3}|[\da-f]{6})$/i

/** `#abc` is `#aabbcc`. */
const channelsOf = (colour: string): number[] =>
  (colour.length === 4 ? colour.replaceAll(/[\da-f]/gi, '$&$&') : colour)
    .slice(1)
    .match(/../g)
    ?.map((channel) => Number.parseInt(channel, 16) / 255) ?? []

/** Relative luminance (WCAG 2.2). */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((channel) =>
    channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/**
 * For backgrounds above this luminance, the text is black, otherwise white. So the contrast is at least 4.5 : 1 on
 * every colour.
 */
const MIDDLE = 0.1791

/**
 * Draws the colour behind the name as a picture. A style with this colour would be forbidden by the
 * Content-Security-Policy.
 */
function groundOf(background: string | undefined): { readonly picture: Html | undefined; readonly name: string } {
  if (background === undefined || !COLOUR.test(background)) return { picture: undefined, name: 'plain' }
  const picture = html`<svg aria-hidden="true" focusable="false" preserveAspectRatio="none" viewBox="0 0 1 1"><rect width="1" height="1" fill="${background}"/></svg>`
  return { picture, name: luminanceOf(background) > MIDDLE ? 'bright' : 'dim' }
}

const short = ({ text, lang }: Spoken, most: number): Html => spoken({ text: shortened(text, most), lang })

function claimsOf({ listed, claims }: CredentialCard): Html | undefined {
  if (claims.length === 0) return undefined
  const further = claims.length - MOST_CLAIMS
  const items = claims.slice(0, MOST_CLAIMS).map((title) => html`<li>${short(title, MOST_TITLE)}</li>`)
  return html`<p class="listed">${listed}</p><ul>${items}${further > 0 && html`<li>and ${further} more</li>`}</ul>`
}

/** The card: name and text on its colour, and below it the titles of its claims. */
export function credentialCard(card: CredentialCard): Html {
  const { picture, name } = groundOf(card.background)
  const text = card.text !== undefined && html`<span>${short(card.text, MOST_TEXT)}</span>`
  return html`<div class="credential"><p class="face ${name}">${picture}<strong>${short(card.name, MOST_NAME)}</strong>${text}</p>${claimsOf(card)}</div>`
}
