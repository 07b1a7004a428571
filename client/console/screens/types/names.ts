import type { CredenceInputs, CredenceOutputs } from '../../../index.js'
import { titleLocaleOf } from '../../ui/claim-titles.js'
import { DEFAULT_LOCALE } from '../../ui/display-name.js'
import type { ClaimRow } from './claims.js'

type TypeVersion = CredenceOutputs['schemas']['read']

/** The titles of claims in languages other than the schema's language, as the service's input has them. */
export type ClaimNames = NonNullable<CredenceInputs['schemas']['create']['claims']>

/**
 * The name of a type in one language, as the user typed it. The titles in the schema are in the language of the first
 * name.
 */
export interface TypeName {
  name: string
  locale: string
}

export const localeOf = ({ locale }: Pick<TypeName, 'locale'>): string => locale.trim() || DEFAULT_LOCALE

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** The names of a version. The list ends with an empty name for each language that only its claims have. */
export function namesOf(version: TypeVersion | undefined, language: string): TypeName[] {
  if (version === undefined) return [{ name: '', locale: language }]
  const names = version.display?.map(({ name, locale = '' }) => ({ name, locale })) ?? []
  const known = names.length > 0 ? names : [{ name: '', locale: titleLocaleOf(version) }]
  return withLanguages(known, version.claims ?? [])
}

/** Adds an empty name for each language of the claims that has no name yet. */
export function withLanguages(names: readonly TypeName[], claims: ClaimNames): TypeName[] {
  const all = [...names]
  for (const { locale } of claims.flatMap(({ display }) => display))
    if (!all.some((each) => isSame(localeOf(each), locale))) all.push({ name: '', locale })
  return all
}

/** Fills the rows with the titles of their claims in all languages. */
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
 * @param before the former titles. The claims inside a claim of kind `other` have no rows, so their former titles are
 * kept
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
