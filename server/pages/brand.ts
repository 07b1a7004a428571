import type { Branding } from '../agent/branding.js'
import { readableOn } from '../protocol/colour.js'
import { partyName } from '../protocol/credential-card/party-name.js'
import { imageIdOf, imageUri } from '../protocol/stored-image.js'
import { type Html, html } from './html.js'
import { inLanguage } from './languages.js'
import type { Speech } from './speech.js'

/** The face of an issuer or verifier: its names and logos in several languages, and its branding. */
export interface Face {
  readonly display:
    | readonly {
        readonly name: string
        readonly locale?: string | undefined
        readonly logo?: { readonly uri: string; readonly alt_text?: string | undefined } | undefined
      }[]
    | null
  readonly branding: Branding | null
}

/** The parts of a page that show who is behind it. */
export interface Brand {
  /** The mark above the content; undefined for a record without a logo and without a colour. */
  readonly mark: Html | undefined
  /** The style of the mark; undefined without a colour. */
  readonly style: string | undefined
  /** Contact and links below the content; undefined if there are none. */
  readonly links: Html | undefined
}

/** Two colours as a style. Both were checked when they were stored: they are hexadecimal, so they cannot end the style. */
function styleOf({ backgroundColor, textColor }: Branding): string | undefined {
  if (backgroundColor === undefined) return undefined
  return `.mark{background:${backgroundColor};color:${readableOn(backgroundColor, textColor)}}`
}

/** A link to another site. It opens in a new tab, so that the open request or offer stays visible. */
const linkTo = (address: string, text: string): Html =>
  html`<li><a href="${address}" target="_blank" rel="noopener noreferrer">${text}</a></li>`

function linksOf({ contact, privacyUri, imprintUri, termsUri }: Branding, { say }: Speech): Html | undefined {
  const { email, phone, url } = contact ?? {}
  const links = [
    url !== undefined && linkTo(url, say('brand.contact')),
    email !== undefined && html`<li><a href="mailto:${email}">${email}</a></li>`,
    phone !== undefined &&
      html`<li><a href="tel:${phone.replaceAll(/[^\d+]/g, '')}"><bdi dir="ltr">${phone}</bdi></a></li>`,
    privacyUri !== undefined && linkTo(privacyUri, say('brand.privacy')),
    termsUri !== undefined && linkTo(termsUri, say('brand.terms')),
    imprintUri !== undefined && linkTo(imprintUri, say('brand.imprint')),
  ].filter((link) => link !== false)
  return links.length === 0 ? undefined : html`<ul class="brand">${links}</ul>`
}

/** The name of an issuer or verifier in the reader's language. */
export const nameOf = (
  { display }: Pick<Face, 'display'>,
  baseUrl: string,
  speech: Pick<Speech, 'languages'>,
): string => partyName(inLanguage(display ?? [], speech.languages)?.name, baseUrl)

/**
 * The mark, colours and links of an issuer or verifier for a page. Only images of this service are shown: the pages load nothing from
 * other hosts, which would learn who opens the page.
 *
 * @param baseUrl the base URL of the page
 */
export function brandOf(face: Face, baseUrl: string, speech: Speech): Brand {
  const { logo } = inLanguage(face.display ?? [], speech.languages) ?? {}
  const isOwn = logo !== undefined && imageIdOf(logo.uri) !== undefined
  const style = face.branding === null ? undefined : styleOf(face.branding)
  const picture = isOwn && html`<img src="${imageUri(logo.uri, baseUrl)}" alt="${logo.alt_text ?? ''}">`
  const mark =
    isOwn || style !== undefined
      ? html`<header class="mark">${picture}<strong>${nameOf(face, baseUrl, speech)}</strong></header>`
      : undefined
  return { mark, style, links: face.branding === null ? undefined : linksOf(face.branding, speech) }
}
