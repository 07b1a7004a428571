import type { en } from './en.js'
import type { PageText, PlaceholdersIn } from './placeholders.js'

/** The keys of the texts. */
export type TextKey = keyof typeof en

/** The texts of one language. */
export type Catalogue = Readonly<Record<TextKey, PageText>>

/** The texts whose placeholders equal the placeholders of the English texts; a message for each other text. */
type Complete<Texts extends Catalogue> = {
  readonly [Key in TextKey]: [PlaceholdersIn<Texts[Key]>] extends [PlaceholdersIn<(typeof en)[Key]>]
    ? [PlaceholdersIn<(typeof en)[Key]>] extends [PlaceholdersIn<Texts[Key]>]
      ? Texts[Key]
      : `${Key}: a placeholder is missing`
    : `${Key}: a placeholder is unknown`
}

/** Checks the texts of a language by their types: a missing text and a different placeholder are errors of the build. */
export const catalogue = <const Texts extends Catalogue>(texts: Texts & Complete<Texts>): Catalogue => texts
