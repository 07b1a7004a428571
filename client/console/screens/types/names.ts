import type { CredenceInputs, CredenceOutputs } from '../../../index.js'
import { titleLocaleOf } from '../../ui/claim-titles.js'
import { DEFAULT_LOCALE } from '../../ui/display-name.js'
import type { ClaimRow } from './claims.js'

type TypeVersion = CredenceOutputs['schemas']['read']

/** The titles of claims in languages other than the schema's language, in the form of the service's input. */
export type ClaimNames = NonNullable<CredenceInputs['schemas']['create']['claims']>

/** A typed name of a type in one language. The titles in the schema are in the first name's language. */
export interface TypeName {
  name: string
  locale: string
}

export const localeOf = ({ locale }: Pick<TypeName, 'locale'>): string => locale.trim() || DEFAULT_LOCALE

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** The languages of a version: first of its names, then the languages that only claims have. */
export function namesOf(version: TypeVersion | undefined, language: string): TypeName[] {
  if (version === undefined) return [{ name: '', locale: language }]
  const names = version.display?.map(({ name, locale = '' }) => ({ name, locale })) ?? []
  const known = names.length > 0 ? names : [{ name: '', locale: titleLocaleOf(version) }]
  return withLanguages(known, version.claims ?? [])
}

/** The names, and an empty name for each further language of the claims. */
export function withLanguages(names: readonly TypeName[], claims: ClaimNames): TypeName[] {
  const all = [...names]
  for (const { locale } of claims.flatMap(({ display }) => display))
    if (!all.some((each) => isSame(localeOf(each), locale))) all.push({ name: '', locale })
  return all
}

/** Rows with the names of their claims in all languages. */
export function withNames(rows: readonly ClaimRow[], claims: ClaimNames, names: readonly TypeName[]): ClaimRow[] {
  const byPath = new Map(claims.map(({ path, display }) => [path.join('.'), display]))
  return rows.map((row) => {
    const inLocale = (locale: string) => byPath.get(row.path)?.find((each) => isSame(each.locale, locale))?.name
    const [first, ...further] = names.map(localeOf)
    return {
      ...row,
      title: (first === undefined ? undefined : inLocale(first)) ?? row.title,
      further: further.map((locale) => inLocale(locale) ?? ''),
    }
  })
}

/**
 * The titles of claims in all languages except the first. The titles in the first language are in the schema.
 *
 * @param before the former titles. Titles of claims inside a claim that the table does not show are kept
 */
export function claimNamesOf(rows: readonly ClaimRow[], names: readonly TypeName[], before: ClaimNames): ClaimNames {
  const closed = rows.filter(({ kind }) => kind === 'other').map(({ path }) => `${path.trim()}.`)
  const kept = before.filter(({ path }) => closed.some((above) => path.join('.').startsWith(above)))
  const named = rows.flatMap(({ path, further }) => {
    const display = names.slice(1).flatMap((each, at) => {
      const name = further[at]?.trim() ?? ''
      return name === '' ? [] : [{ name, locale: localeOf(each) }]
    })
    return path.trim() === '' || display.length === 0 ? [] : [{ path: path.trim().split('.'), display }]
  })
  return [...named, ...kept]
}

/** A row without the language at a position. Without the first language, the next title becomes the title in the schema. */
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
    // Each member was checked here. The service reports other errors.
    return Array.isArray(parsed) && parsed.every(isNamed) ? (parsed as ClaimNames) : undefined
  } catch {
    return undefined
  }
}
