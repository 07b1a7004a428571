import { PLAIN_LOOK } from '../../../../server/protocol/credential-card/look.js'
import type { CredenceInputs } from '../../../index.js'
import { DEFAULT_LOCALE } from '../../ui/display-name.js'
import { isImageId } from '../../ui/image-id.js'
import { type ClaimRow, pathOfRow } from './claims.js'
import { pathKey } from './paths.js'

/** The titles of claims in languages other than the schema's language, as the service's input has them. */
export type ClaimNames = NonNullable<CredenceInputs['schemas']['create']['claims']>

/**
 * The name of a type in one language, as the user typed it. The titles in the schema are in the language of the first
 * name.
 */
export interface TypeName extends Look {
  name: string
  locale: string
}

/** How wallets draw a credential in one language (OpenID4VCI 1.0 §12.2.4). An empty text is no setting. */
export interface Look {
  description: string
  backgroundColor: string
  textColor: string
  /** An address, or the id of an image that the service stores. */
  backgroundImage: string
  backgroundImageIntegrity: string
  logo: string
  logoIntegrity: string
  logoText: string
  /** The list `svg_templates` as JSON. */
  svgTemplates: string
}

export const NO_LOOK: Look = {
  description: '',
  backgroundColor: '',
  textColor: '',
  backgroundImage: '',
  backgroundImageIntegrity: '',
  logo: '',
  logoIntegrity: '',
  logoText: '',
  svgTemplates: '',
}

/** The colours of a card without colours, so that the preview of a new type is the card of a type without a look. */
export const COLORS = { backgroundColor: PLAIN_LOOK.background, textColor: PLAIN_LOOK.text } as const

export const localeOf = ({ locale }: Pick<TypeName, 'locale'>): string => locale.trim() || DEFAULT_LOCALE

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

type Display = NonNullable<CredenceInputs['schemas']['create']['display']>

type Image = NonNullable<Display[number]['background_image']>

const addressOf = (image: Image | undefined): string => image?.uri ?? image?.image ?? ''

function imageOf(text: string, integrity: string): Image | undefined {
  if (text === '') return undefined
  const named = isImageId(text) ? { image: text } : { uri: text }
  return integrity === '' ? named : { ...named, 'uri#integrity': integrity }
}

type SvgTemplates = NonNullable<Display[number]['svg_templates']>

/** The templates that a text contains as JSON; undefined if the text is no list. The service checks the members. */
export function svgTemplatesIn(text: string): SvgTemplates | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

const nameOf = ({ name, locale = '', ...look }: Display[number]): TypeName => ({
  name,
  locale,
  description: look.description ?? '',
  backgroundColor: look.background_color ?? '',
  textColor: look.text_color ?? '',
  backgroundImage: addressOf(look.background_image),
  backgroundImageIntegrity: look.background_image?.['uri#integrity'] ?? '',
  logo: addressOf(look.logo),
  logoIntegrity: look.logo?.['uri#integrity'] ?? '',
  logoText: look.logo?.alt_text ?? '',
  svgTemplates: look.svg_templates === undefined ? '' : JSON.stringify(look.svg_templates, null, 2),
})

/**
 * The names of a type. The list ends with an empty name for each language that only its claims have.
 *
 * @param language the language of a type without names
 */
export function namesOf(
  { display = [], claims = [] }: { readonly display?: Display | undefined; readonly claims?: ClaimNames | undefined },
  language: string,
): TypeName[] {
  const known = display.length > 0 ? display.map(nameOf) : [{ ...NO_LOOK, ...COLORS, name: '', locale: language }]
  return withLanguages(known, claims)
}

/** The display entry for a name, as the service takes it. */
export function displayOf(entry: TypeName, name: string): Display[number] {
  const { description, backgroundColor, textColor, logoText } = entry
  const given = (text: string | undefined): string => text?.trim() ?? ''
  const logo = imageOf(given(entry.logo), given(entry.logoIntegrity))
  const background = imageOf(given(entry.backgroundImage), given(entry.backgroundImageIntegrity))
  const templates = svgTemplatesIn(given(entry.svgTemplates))
  return {
    name,
    locale: localeOf(entry),
    ...(given(description) === '' ? {} : { description: given(description) }),
    ...(given(backgroundColor) === '' ? {} : { background_color: given(backgroundColor) }),
    ...(given(textColor) === '' ? {} : { text_color: given(textColor) }),
    ...(background === undefined ? {} : { background_image: background }),
    ...(logo === undefined ? {} : { logo: given(logoText) === '' ? logo : { ...logo, alt_text: given(logoText) } }),
    ...(templates === undefined ? {} : { svg_templates: templates }),
  }
}

/** Adds an empty name for each language of the claims that has no name yet. */
export function withLanguages(names: readonly TypeName[], claims: ClaimNames): TypeName[] {
  const all = [...names]
  for (const { locale } of claims.flatMap(({ display }) => display))
    if (!all.some((each) => isSame(localeOf(each), locale))) all.push({ ...NO_LOOK, name: '', locale })
  return all
}

/** Fills the rows with the titles of their claims in all languages. */
export function withNames(rows: readonly ClaimRow[], claims: ClaimNames, names: readonly TypeName[]): ClaimRow[] {
  const byPath = new Map(claims.map(({ path, display }) => [pathKey(path), display]))
  return rows.map((row) => {
    const display = byPath.get(pathKey(pathOfRow(row.path, rows)))
    const inLocale = (locale: string) => display?.find((each) => isSame(each.locale, locale))?.name
    const [first, ...further] = names.map(localeOf)
    return {
      ...row,
      title: (first === undefined ? undefined : inLocale(first)) ?? row.title,
      further: further.map((locale) => inLocale(locale) ?? ''),
    }
  })
}

/** The titles of a row's claim in all languages except the first. The title in the first language is in the schema. */
export const claimNamesOfRow = ({ further }: ClaimRow, names: readonly TypeName[]): ClaimNames[number]['display'] =>
  names.slice(1).flatMap((each, at) => {
    const name = further[at]?.trim() ?? ''
    return name === '' ? [] : [{ name, locale: localeOf(each) }]
  })

/**
 * Removes the language at a position from a row. If it is the first language, the title in the next language becomes
 * the title in the schema.
 */
export function withoutLanguage(row: ClaimRow, at: number): ClaimRow {
  const [title = '', ...further] = [row.title, ...row.further].filter((_, position) => position !== at)
  return { ...row, title, further }
}

/** The names in a list of claims that was typed as JSON; undefined if the text is no such list. */
export function claimNamesIn(text: string): ClaimNames | undefined {
  if (text.trim() === '') return []
  try {
    const parsed: unknown = JSON.parse(text)
    const isPath = (path: unknown) =>
      Array.isArray(path) && path.every((part) => typeof part === 'string' || part === null)
    const isName = (value: unknown) =>
      typeof value === 'object' &&
      value !== null &&
      'name' in value &&
      'locale' in value &&
      typeof value.locale === 'string'
    const isNamed = (value: unknown) =>
      typeof value === 'object' &&
      value !== null &&
      'path' in value &&
      'display' in value &&
      isPath(value.path) &&
      Array.isArray(value.display) &&
      value.display.every(isName)
    // The code above has checked each member. The service reports any other error.
    return Array.isArray(parsed) && parsed.every(isNamed) ? (parsed as ClaimNames) : undefined
  } catch {
    return undefined
  }
}
