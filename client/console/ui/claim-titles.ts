import { namedClaims, pathKey } from '../../../server/protocol/json-schema/declared-claims.js'
import type { CredenceOutputs } from '../../index.js'
import { DEFAULT_LOCALE, entryFor } from './display-name.js'
import { walked } from './schema-walk.js'

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
