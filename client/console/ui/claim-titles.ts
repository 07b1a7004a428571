import {
  type ClaimPath,
  claimsWithin,
  MAX_CLAIMS,
  namedClaims,
  pathKey,
} from '../../../server/protocol/json-schema/declared-claims.js'
import type { CredenceOutputs } from '../../index.js'
import { entryOf, inDeclaredOrder, leavesOf } from './claims.js'
import { DEFAULT_LOCALE, entryFor } from './display-name.js'
import { walked } from './schema-walk.js'
import { type Reader, type TitlesOfValues, titlesOfValues, valueText } from './value-text.js'

type Version = Pick<CredenceOutputs['schemas']['read'], 'schemaBody' | 'display' | 'claims'>

/** The language of the titles in a version's schema: the language of its first name. */
export const titleLocaleOf = ({ display }: Pick<Version, 'display'>): string => display?.[0]?.locale ?? DEFAULT_LOCALE

/**
 * The titles of a version's claims by `pathKey`. Each title is in the given language if the claim has such a title,
 * otherwise in the first language.
 */
export const titlesOf = (version: Version, language: string): ReadonlyMap<string, string> =>
  new Map(
    [...namedClaims(walked(version.schemaBody), titleLocaleOf(version), version.claims ?? [])].flatMap(
      ({ path, names }) => {
        const title = entryFor(names, language)?.name
        return title === undefined ? [] : [[pathKey(path), title] as const]
      },
    ),
  )

/** The paths of the claims that a version declares, in the order of its schema. */
function declaredPaths({ schemaBody }: Version): ClaimPath[] {
  const paths: ClaimPath[] = []
  for (const { path } of claimsWithin(walked(schemaBody))) {
    if (paths.length === MAX_CLAIMS) break
    paths.push(path)
  }
  return paths
}

/** A value of a claim as a person reads it. */
export interface TitledClaim {
  readonly key: string
  readonly title: string
  readonly value: string
}

/**
 * The values of claims in words with the titles of their type, in the order of the type.
 *
 * @param version undefined if the type is not known: then the titles are the names, and the order is that of the claims
 */
export function titledClaims(claims: unknown, version: Version | undefined, reader: Reader): TitledClaim[] {
  const titles = version === undefined ? new Map<string, string>() : titlesOf(version, reader.language)
  const titleOf = (path: readonly string[]) =>
    path.map((name, at) => entryOf(titles, path.slice(0, at + 1)) ?? name).join(' › ')
  const named: TitlesOfValues = version === undefined ? new Map() : titlesOfValues(version.schemaBody)
  const leaves = leavesOf(claims, valueText(named, reader))
  return (version === undefined ? leaves : inDeclaredOrder(leaves, declaredPaths(version))).map(({ path, value }) => ({
    key: path.join('\0'),
    title: titleOf(path),
    value,
  }))
}
