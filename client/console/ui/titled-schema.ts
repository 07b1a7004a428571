import type { CredenceOutputs } from '../../index.js'
import { DEFAULT_LOCALE, entryFor } from './display-name.js'

type Version = Pick<CredenceOutputs['schemas']['read'], 'schemaBody' | 'display' | 'claims'>
type JsonObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The language of the titles that stand in a version's schema: that of its first name. */
export const titleLocaleOf = ({ display }: Pick<Version, 'display'>): string => display?.[0]?.locale ?? DEFAULT_LOCALE

/** A version's schema, each claim with its title in a language, or in the one that there is. */
export function titledSchema(version: Version, language: string): JsonObject {
  const { schemaBody, claims } = version
  if (claims === undefined) return schemaBody
  const locale = titleLocaleOf(version)
  const names = new Map(claims.map(({ path, display }) => [path.join('\0'), display]))
  const titled = (owner: JsonObject, above: readonly string[]): JsonObject => {
    if (!isObject(owner.properties)) return owner
    const properties = Object.entries(owner.properties).map(([name, property]) => {
      if (!isObject(property)) return [name, property] as const
      const path = [...above, name]
      const named = names.get(path.join('\0')) ?? []
      const isNamed = named.some((each) => each.locale.toLowerCase() === locale.toLowerCase())
      const own = typeof property.title === 'string' && !isNamed ? [{ name: property.title, locale }] : []
      const title = entryFor([...own, ...named], language)?.name
      return [name, titled(title === undefined ? property : { ...property, title }, path)] as const
    })
    return { ...owner, properties: Object.fromEntries(properties) }
  }
  return titled(schemaBody, [])
}

/** What the claims of a version are called in a language, by the names of their path, joined by NUL. */
export function titlesOf(version: Version, language: string): ReadonlyMap<string, string> {
  const titles = new Map<string, string>()
  const walk = ({ properties }: JsonObject, above: readonly string[]): void => {
    for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
      if (!isObject(property)) continue
      const path = [...above, name]
      if (typeof property.title === 'string') titles.set(path.join('\0'), property.title)
      walk(property, path)
    }
  }
  walk(titledSchema(version, language), [])
  return titles
}
