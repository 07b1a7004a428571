import type { Language } from '../../../texts/languages.js'
import type { TypeBody } from '../draft.js'

/** A text in each language of the console. */
type InLanguages = Readonly<Record<Language, string>>

/** A credential type to begin with. */
export interface Template {
  readonly key: string
  readonly title: InLanguages
  /** One sentence about the purpose of the credential. */
  readonly about: InLanguages
  readonly body: TypeBody
}

/** German titles of claims, by paths with dots; `*` stands for every element of a list. */
export const inGerman = (titles: Readonly<Record<string, string>>): NonNullable<TypeBody['claims']> =>
  Object.entries(titles).map(([path, name]) => ({
    path: path.split('.').map((step) => (step === '*' ? null : step)),
    display: [{ name, locale: 'de' }],
  }))
