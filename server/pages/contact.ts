import { type Html, html } from './html.js'
import type { Speech } from './speech.js'

/** The contact of people who need a new link. */
export interface Contact {
  /** A `mailto:`, `tel:` or https address. */
  readonly href: string
  /** The address as people read it. */
  readonly text: string
}

/** The sentence that says where a person may ask for a new link; undefined without a contact. */
export function whomToAsk(contact: Contact | undefined, speech: Speech): Html | undefined {
  if (contact === undefined) return undefined
  const link = html`<a href="${contact.href}" rel="noreferrer"><bdi dir="ltr">${contact.text}</bdi></a>`
  return html`<p class="contact">${speech.show('contact.ask', { contact: link })}</p>`
}
