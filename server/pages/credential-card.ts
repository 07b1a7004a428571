import { type CardLook, PLAIN_LOOK } from '../protocol/credential-card/look.js'
import { type Html, html, spoken } from './html.js'
import type { Spoken } from './languages.js'
import type { Speech } from './speech.js'
import { shortened } from './words.js'

/** The content of a credential card, which people recognize as a credential. */
export interface CredentialCard {
  readonly name: Spoken
  /** The name of the issuer. */
  readonly issuer?: string | undefined
  readonly look: CardLook
  /** The text below the card, such as a description. */
  readonly text?: Spoken | undefined
  /** The heading of the list of claims. */
  readonly listed: string
  /** The titles of the claims. */
  readonly claims: readonly Spoken[]
}

const MOST_CLAIMS = 12
const MOST_TITLE = 80
const MOST_NAME = 120
const MOST_TEXT = 300

const short = ({ text, lang }: Spoken, most: number): Html => spoken({ text: shortened(text, most), lang })

const isPlain = ({ background, text }: CardLook): boolean =>
  background === PLAIN_LOOK.background && text === PLAIN_LOOK.text

/** The class of a pair of colours. Colours of looks have six hexadecimal digits. */
const classOf = ({ background, text }: CardLook): string => `look-${background.slice(1)}-${text.slice(1)}`

/**
 * The style of cards on one page. The Content-Security-Policy allows no style attributes, so each pair of colours is a class of the style
 * that the page contains. The style sheet of all pages has the plain look.
 */
export const cardStyle = (looks: readonly CardLook[]): string =>
  [
    ...new Set(
      looks
        .filter((look) => !isPlain(look))
        .map((look) => `.${classOf(look)}{background-color:${look.background};color:${look.text}}`),
    ),
  ].join('')

/**
 * The face of a card. The console writes the same elements (`client/console/ui/credential-face.tsx`), and both use the classes of
 * `protocol/credential-card/styles.ts`.
 */
export function credentialFace({ name, issuer, look }: Pick<CredentialCard, 'name' | 'issuer' | 'look'>): Html {
  const ground = look.ground !== undefined && html`<img class="credential-ground" src="${look.ground}" alt="">`
  const logo =
    look.logo !== undefined && html`<img class="credential-logo" src="${look.logo.src}" alt="${look.logo.alt}">`
  const from = issuer !== undefined && html`<span class="credential-issuer">${shortened(issuer, MOST_NAME)}</span>`
  return html`<div class="credential-face${!isPlain(look) && ` ${classOf(look)}`}">${ground}<div class="credential-top">${logo}</div><p class="credential-text"><strong class="credential-name">${short(name, MOST_NAME)}</strong>${from}</p></div>`
}

function claimsOf({ listed, claims }: CredentialCard, speech: Speech): Html | undefined {
  if (claims.length === 0) return undefined
  const further = claims.length - MOST_CLAIMS
  const items = claims.slice(0, MOST_CLAIMS).map((title) => html`<li>${short(title, MOST_TITLE)}</li>`)
  return html`<p class="listed">${listed}</p><ul>${items}${further > 0 && html`<li>${speech.say('card.more', { count: further })}</li>`}</ul>`
}

/** The card, and below it a text and the titles of its claims. */
export function credentialCard(card: CredentialCard, speech: Speech): Html {
  const text = card.text !== undefined && html`<p class="described">${short(card.text, MOST_TEXT)}</p>`
  return html`<div class="credential">${credentialFace(card)}${text}${claimsOf(card, speech)}</div>`
}
