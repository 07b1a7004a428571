import type { CheckedSession } from '../../queries/shapes.js'
import { nameOf } from '../../ui/display-name.js'
import { typeOfConfiguration } from '../../ui/type-of-configuration.js'
import { type Askable, isFormat, readable } from './askable.js'

/** A credential query as the service shows it. */
export type Ask = CheckedSession['asks'][number]
/** A credential query without its id. */
export type AskedFor = Omit<Ask, 'credentialQueryId'>

/** Claims that a title names; it counts the others. */
const MAX_CLAIMS = 2
/** Credentials that a title names. */
const MAX_TYPES = 3

/** The types of this installation that a credential query accepts. */
const knownTo = (types: readonly Askable[], { types: accepted, format }: AskedFor): readonly Askable[] =>
  types.filter(
    (type) =>
      type.format === format && (accepted.includes(typeOfConfiguration(type.id)) || accepted.includes(type.type)),
  )

/** The name of the credential that a query asks for, in the user's language. @param fallback for a query without a type */
export function typeNameOf(ask: AskedFor, types: readonly Askable[], language: string, fallback: string): string {
  const [known] = knownTo(types, ask)
  return nameOf(known?.display, language) ?? ask.types[0] ?? fallback
}

/** The title of a claim, or its path. */
function claimNameOf(
  path: AskedFor['claims'][number],
  ask: AskedFor,
  types: readonly Askable[],
  language: string,
): string {
  const text = path.map((part) => part ?? '*').join('.')
  const claims = knownTo(types, ask).flatMap((type) => type.claims)
  const found = claims.find((claim) => isFormat(ask.format) && readable(claim.path, ask.format) === text)
  return nameOf(found?.display, language) ?? text
}

/** The claims of a credential query in the user's language, each once. */
export const claimNamesOf = (ask: AskedFor, types: readonly Askable[], language: string): string[] => [
  ...new Set(ask.claims.map((path) => claimNameOf(path, ask, types, language))),
]

interface TitleWords {
  readonly fallback: string
  readonly andMore: (claims: string, more: number) => string
}

/**
 * The claims and types of a request as a title: "Age over 18 · Membership", or "First name, Last name and 2 more · PID". Alternatives in
 * several formats are named once. A request for several types is named by its types alone.
 *
 * @param fallback for a query without a type
 * @param andMore adds the number of other claims to the named claims
 * @returns undefined for a request without a query
 */
export function titleOfAsks(
  asks: readonly AskedFor[],
  types: readonly Askable[],
  language: string,
  { fallback, andMore }: TitleWords,
): string | undefined {
  const names = [...new Set(asks.map((ask) => typeNameOf(ask, types, language, fallback)))]
  const claims = [...new Set(asks.flatMap((ask) => ask.claims.map((path) => claimNameOf(path, ask, types, language))))]
  const firstClaims = claims.slice(0, MAX_CLAIMS).join(', ')
  const more = claims.length - MAX_CLAIMS
  const named = names.length > 1 || claims.length === 0 ? [] : [more > 0 ? andMore(firstClaims, more) : firstClaims]
  const left = names.length - MAX_TYPES
  const parts = [...named, ...names.slice(0, MAX_TYPES), ...(left > 0 ? [`+ ${left}`] : [])]
  return parts.length === 0 ? undefined : parts.join(' · ')
}
