import type { Installation } from '../../formats/issuing.js'
import type { Formats } from '../../formats/registry.js'
import { claimTitles, namedValues, pathKey } from '../../issuer/schemas/claims.js'
import { inLanguage, joined, type Languages, type Spoken } from '../../pages/languages.js'
import type { Speech } from '../../pages/speech.js'
import { inWords, typeTitle } from '../../pages/words.js'
import { type CardLook, cardLook } from '../../protocol/credential-card/look.js'
import type { ClaimsPath, ClaimValue } from '../../protocol/openid4vp/dcql/claims-query.js'
import type { CredentialQuery } from '../../protocol/openid4vp/dcql/credential-query.js'
import type { DcqlQuery } from '../../protocol/openid4vp/dcql/dcql-query.js'
import { imageUri } from '../../protocol/stored-image.js'
import type { AskedType } from '../store.js'

/** The formats and the base URLs of this installation, which are needed to interpret queries. */
export interface AskedHere {
  readonly formats: Pick<Formats, 'named'>
  readonly config: Installation
  /** The base URL of images: the page's own. */
  readonly imagesUrl: string
}

/** A requested credential as a page describes it to people. */
export interface AskedCredential {
  readonly name: Spoken
  /** Titles of the requested claims; empty for a query without claims. */
  readonly claims: readonly Spoken[]
  /** Whether the wallet shows the whole credential, not only the claims that the query names. */
  readonly whole: boolean
  /** How the card looks. A type that this installation does not know has the plain look. */
  readonly look: CardLook
}

/** One part of a request: alternative ways to answer it, each with one or more credentials. */
export interface Asked {
  readonly ways: readonly (readonly AskedCredential[])[]
  readonly required: boolean
}

const MOST_NAMES = 3

/** Matches versions such as `1` and `v2`. A version is not a name that people recognize. */
const VERSION = /^v?\d+$/i

/** Returns the last part of an address, or of a name with dots or colons, that is not a version. */
const lastPart = (type: string): string =>
  type
    .split(/[/:#.]/)
    .filter((part) => part !== '' && !VERSION.test(part))
    .at(-1) ?? type

const nameOfType = (type: string, known: AskedType | undefined, languages: Languages): Spoken =>
  known === undefined ? { text: inWords(lastPart(type)) } : typeTitle(known, languages)

/** Returns the title of a claim: the titles of all levels of its path, from the types that have this claim. */
function titleOf(path: ClaimsPath, described: readonly ReadonlyMap<string, Spoken>[]): Spoken {
  const names = path.filter((component) => typeof component === 'string')
  const titles = names.map((name, at) => {
    const key = pathKey(names.slice(0, at + 1))
    return described.map((claims) => claims.get(key)).find((title) => title !== undefined) ?? { text: inWords(name) }
  })
  return joined(titles, ' › ')
}

/**
 * The values that a claim must have, in words. Undefined unless all of them are booleans, or values that a type names. Any other value may
 * be a claim of a person, and everybody can open the page.
 */
function valuesOf(
  path: ClaimsPath,
  values: readonly ClaimValue[],
  named: readonly ReturnType<typeof namedValues>[],
  speech: Speech,
): Spoken | undefined {
  const at = path.map((component) => (typeof component === 'number' ? null : component))
  const words = values.map((value) =>
    typeof value === 'boolean'
      ? { text: speech.say(value ? 'value.yes' : 'value.no') }
      : named.map((wordOf) => wordOf(at, value)).find((word) => word !== undefined),
  )
  return words.every((word) => word !== undefined) ? joined(words, ` ${speech.say('present.or')} `) : undefined
}

function credentialOf(
  { formats, config, imagesUrl }: AskedHere,
  query: CredentialQuery,
  types: readonly AskedType[],
  speech: Speech,
): AskedCredential {
  const { languages } = speech
  const { querying } = formats.named(query.format)
  const named = [...new Set(querying.typesOf(query.meta, config))]
  const known = types.filter(({ name }) => named.includes(name))
  const names = unlike(
    named.map((type) =>
      nameOfType(
        type,
        known.find(({ name }) => name === type),
        languages,
      ),
    ),
  )
  const described = known.map((type) => claimTitles(type, languages))
  const wordsOf = known.map(namedValues)
  const claims = (query.claims ?? []).map(({ path, values }) => {
    const names = querying.namesOf(path)
    const title = titleOf(names, described)
    const wanted = values === undefined ? undefined : valuesOf(names, values, wordsOf, speech)
    if (wanted === undefined) return title
    return { text: `${title.text} (${wanted.text})`, lang: title.lang === wanted.lang ? title.lang : undefined }
  })
  return {
    name:
      names.length === 0
        ? { text: speech.say('present.anyCredential') }
        : joined(names.slice(0, MOST_NAMES), ` ${speech.say('present.or')} `),
    claims: unlike(claims),
    whole: querying.disclosesAll && claims.length === 0,
    look: cardLook(inLanguage(known[0]?.display ?? [], languages), (path) => imageUri(path, imagesUrl)),
  }
}

const unlike = <Value>(values: readonly Value[]): Value[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
]

/**
 * Describes a query for people. The description does not contain formats, so alternatives that differ only in format
 * become one alternative.
 */
export function askedFor(here: AskedHere, query: DcqlQuery, types: readonly AskedType[], speech: Speech): Asked[] {
  const credentials = new Map(query.credentials.map((each) => [each.id, credentialOf(here, each, types, speech)]))
  if (query.credential_sets === undefined) {
    return unlike([...credentials.values()]).map((credential) => ({ ways: [[credential]], required: true }))
  }
  return query.credential_sets.map(({ options, required = true }) => {
    const ways = unlike(options.map((ids) => unlike(ids.flatMap((id) => credentials.get(id) ?? []))))
    return { ways, required }
  })
}
