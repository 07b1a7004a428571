import { describe, expect, it } from 'vitest'
import { speechFor } from '../../server/pages/speech.js'
import type { TextKey } from '../../server/pages/texts/catalogue.js'
import { en } from '../../server/pages/texts/en.js'
import { fr } from '../../server/pages/texts/fr.js'
import { PAGE_LANGUAGES } from '../../server/pages/texts/languages.js'

const KEYS = Object.keys(en) as TextKey[] // `Object.keys` returns strings.

/** All forms of a text, by plural category: one for a plain text, one for each category of a text with a number. */
const formsByCategory = (text: string | Readonly<Record<string, string>>): readonly (readonly [string, string])[] =>
  typeof text === 'string' ? [['other', text]] : Object.entries(text)

const formsOf = (text: string | Readonly<Record<string, string>>): readonly string[] =>
  formsByCategory(text).map(([, form]) => form)

const NUMBERS = Array.from({ length: 1_000 }, (_, at) => at)

/** Whether a plural category has one number alone, so that its form can name the number in words: Arabic “two days” is one word. */
const isOfOneNumber = (lang: string, category: string): boolean => {
  const rules = new Intl.PluralRules(lang)
  return NUMBERS.filter((each) => rules.select(each) === category).length === 1
}

const placeholdersIn = (text: string): readonly string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort()

describe.each([...PAGE_LANGUAGES])('the texts of the pages in %s', (lang, { texts }) => {
  it('are the texts of the English pages', () => {
    expect(Object.keys(texts).sort()).toEqual([...KEYS].sort())
  })

  it.each(KEYS)('%s has the placeholders of the English text, and no markup', (key) => {
    const english = placeholdersIn(formsOf(en[key]).at(-1) ?? '')
    for (const [category, form] of formsByCategory(texts[key])) {
      const named = placeholdersIn(form)
      const isInWords = !named.includes('count') && isOfOneNumber(lang, category)
      expect(named).toEqual(isInWords ? english.filter((name) => name !== 'count') : english)
      expect(form).not.toMatch(/[<>&]|\{(?!\w+\})|(?<!\{\w+)\}/)
      expect(form.trim()).toBe(form)
      expect(form).not.toBe('')
    }
  })

  it('have a form for each plural category of the language (Unicode CLDR)', () => {
    const { pluralCategories } = new Intl.PluralRules(lang).resolvedOptions()
    for (const key of KEYS) {
      const text = texts[key]
      if (typeof text !== 'string') expect(Object.keys(text).sort(), key).toEqual([...pluralCategories].sort())
    }
  })
})

describe('the French texts of the pages', () => {
  it('have a narrow no-break space before ? ! and ;, and a no-break space before : and inside quotation marks', () => {
    const forms = KEYS.flatMap((key) => formsOf(fr[key]))
    expect(forms.filter((form) => /[?!;:«»]/.test(form))).not.toEqual([])
    const wrong = forms.filter((form) => /(?<!\u202f)[?!;]|(?<!\u00a0)[:»]|«(?!\u00a0)/.test(form))
    expect(wrong).toEqual([])
  })
})

describe('the language of a page', () => {
  const spoken = (headers: Readonly<Record<string, string>>) => speechFor({ headers }, 'https://issuer.example').lang

  it('is English for a reader who names none of the languages', () => {
    expect(spoken({})).toBe('en')
    expect(spoken({ 'accept-language': 'tlh, x-klingon' })).toBe('en')
  })

  it('is the language of the cookie before the languages of the browser', () => {
    expect(spoken({ 'accept-language': 'fr', cookie: '__Host-language=en' })).toBe('en')
  })

  it('ignores a cookie of another origin, and an unknown language in the cookie', () => {
    expect(spoken({ cookie: 'language=xx; __Host-language=../../etc' })).toBe('en')
  })
})
