import { PLAIN_LOOK } from './look.js'

/** The ratio of a card's sides: ID-1 has 85.60 mm × 53.98 mm (ISO/IEC 7810). */
export const CARD_RATIO = 1.586

/**
 * The style sheet of credential cards. The pages and the console both contain it, so that a credential looks the same everywhere. Both
 * renderers write the same elements with these classes. Colours of a type come from `look.ts`; no colour depends on the colour scheme,
 * because a card has one look. A card with a picture has a plain ground behind its text, so that the text stays readable.
 */
export const CARD_STYLES = `.credential-face { position: relative; isolation: isolate; display: flex; flex-direction: column; justify-content: space-between; box-sizing: border-box; width: 100%; max-width: 21.5rem; min-height: 0; aspect-ratio: ${CARD_RATIO}; overflow: hidden; font-size: 1rem; font-weight: 400; border-radius: 3.7% / 5.9%; box-shadow: 0 .25rem .75rem rgb(0 0 0 / .14); background-color: ${PLAIN_LOOK.background}; color: ${PLAIN_LOOK.text}; line-height: 1.3; text-align: start; overflow-wrap: anywhere; }
.credential-face::after { position: absolute; inset: 0; border: 1px solid rgb(127 127 127 / .4); border-radius: inherit; content: ""; pointer-events: none; }
.credential-face > .credential-ground { position: absolute; inset: 0; z-index: -1; width: 100%; max-width: none; height: 100%; max-height: none; border-radius: 0; object-fit: cover; }
.credential-top { display: flex; align-items: flex-start; justify-content: space-between; gap: .75rem; min-height: 0; padding: 1rem 1rem 0; }
.credential-top > .credential-logo { width: auto; max-width: 60%; height: 2.75rem; max-height: none; border-radius: 0; object-fit: contain; }
.credential-state { margin-inline-start: auto; padding: .1rem .6rem; border-radius: 1rem; background: #fff; color: #1a2130; font-size: .8125rem; font-weight: 600; }
.credential-state.refused { color: #a8200d; }
.credential-text { display: grid; gap: .1rem; max-width: none; margin: 0; padding: .6rem 1rem .85rem; background: inherit; }
.credential-name { display: -webkit-box; overflow: hidden; font-size: 1.15rem; font-weight: 650; line-height: 1.25; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
.credential-issuer { overflow: hidden; font-size: .875rem; text-overflow: ellipsis; white-space: nowrap; }
`
