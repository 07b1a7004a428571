import { DcqlQuery } from 'dcql'
import type { CredentialFormat } from '../../formats/format.js'
import type { AuthorizedHashes } from '../../formats/holding.js'
import type { Formats } from '../../formats/registry.js'
import { isObject, type JsonObject, objectOf } from '../../protocol/json/json-object.js'
import { type AskedClaims, selectClaims } from '../../protocol/openid4vp/dcql/select-claims.js'
import { VERIFIABLE_CREDENTIAL_TYPES } from '../../protocol/openid4vp/dcql/w3c-types.js'
import type { ClaimsPathPointer } from '../../protocol/sd-jwt-vc/present.js'
import { type Work, WorkExceededError } from '../../protocol/work.js'
import type { HeldCredential } from '../credentials/held.js'
import type { Profile } from './profiles/profile.js'
import { RefusedRequest } from './refused-request.js'
import type { ComesFrom } from './trusted-authorities.js'

/** Limits on the cost of a stranger's query. */
const MAX_QUERY_CHARACTERS = 32 * 1024
const MAX_CREDENTIAL_QUERIES = 20
const MAX_CLAIMS = 200
const MAX_CANDIDATES = 200

type CredentialQuery = DcqlQuery.Output['credentials'][number]

/** A held credential that matches a credential query, with the claims that it must disclose. */
export interface Match {
  readonly queryId: string
  readonly held: HeldCredential
  readonly disclose: readonly ClaimsPathPointer[]
  /** Whether the verifier wants proof that the holder has the key (OpenID4VP 1.0 §6.1). */
  readonly holderBinding: boolean
  /** The transactions that the holder authorizes with the credential. */
  readonly transactionDataHashes?: AuthorizedHashes | undefined
}

/** How bad it would be to present a credential; 0 is best. */
export type Objection = (held: HeldCredential) => number

/**
 * Why no match can be used. `unbound`: the verifier wants proof of a key, but the matches are bound to no key.
 * `algorithms`: the verifier rejects the algorithms of the matches.
 */
export type Obstacle = 'unbound' | 'algorithms'

/** The credentials of a wallet that match a query. */
export interface Matching {
  /** Every match, by credential query. */
  readonly matches: readonly Match[]
  /**
   * Chooses the credential queries to answer, set by set, with the credentials of the least objection. Returns
   * undefined if the query cannot be answered.
   */
  readonly choose: (selectedId: string | undefined, objection?: Objection) => readonly Match[] | undefined
  /** The only obstacle to an answer; undefined if there is an answer, and if credentials are missing. */
  readonly obstacle: Obstacle | undefined
}

/** A verifier's query in the library's format, and the requested format of each credential query, by its id. */
export interface ParsedQuery {
  readonly query: DcqlQuery.Output
  readonly formats: ReadonlyMap<string, CredentialFormat>
}

const INVALID = 'The DCQL query is not valid.'

/** Names that no claim has, and that the library finds on every object. */
const NO_NAMES: ReadonlySet<unknown> = new Set(['__proto__'])

const hasNames = ({ claims }: JsonObject): boolean =>
  !Array.isArray(claims) ||
  claims.every((claim) => {
    const { path } = objectOf(claim)
    return !Array.isArray(path) || path.every((name) => !NO_NAMES.has(name))
  })

/**
 * A credential query in the library's format. If this wallet cannot hold the credential, the result is the unchanged
 * query without a format.
 */
function translated(
  formats: Formats,
  { hasFormat }: Pick<Profile, 'hasFormat'>,
  query: unknown,
): { format?: CredentialFormat; query: unknown } {
  const format = isObject(query) ? formats.known(query.format) : undefined
  if (!isObject(query) || format === undefined || !hasFormat(format)) return { query }
  if (!hasNames(query)) throw new RefusedRequest('invalid_request', INVALID)
  const known = format.holding.library.query(query)
  return known === undefined ? { query } : { format, query: known }
}

/** @throws RefusedRequest for a query that is malformed, or larger than any honest query. */
export function parseQuery(
  formats: Formats,
  profile: Pick<Profile, 'hasFormat'>,
  query: Readonly<Record<string, unknown>>,
): ParsedQuery {
  if (JSON.stringify(query).length > MAX_QUERY_CHARACTERS)
    throw new RefusedRequest('invalid_request', 'The DCQL query is too large.')
  const asked = Array.isArray(query.credentials)
    ? query.credentials.map((each) => translated(formats, profile, each))
    : undefined
  const credentials = asked === undefined ? query.credentials : asked.map((each) => each.query)
  let parsed: DcqlQuery.Output
  try {
    parsed = DcqlQuery.parse({ ...query, credentials } as DcqlQuery.Input)
    DcqlQuery.validate(parsed)
  } catch (cause) {
    throw new RefusedRequest('invalid_request', INVALID, { cause })
  }
  const claims = parsed.credentials.reduce((count, credential) => count + (credential.claims?.length ?? 0), 0)
  if (parsed.credentials.length > MAX_CREDENTIAL_QUERIES || claims > MAX_CLAIMS) {
    throw new RefusedRequest('invalid_request', 'The DCQL query asks for too much at once.')
  }
  const byId = parsed.credentials.flatMap(({ id }, index) => {
    const format = asked?.[index]?.format
    return format === undefined ? [] : [[id, format] as const]
  })
  if (byId.length === 0) {
    throw new RefusedRequest('vp_formats_not_supported', 'The DCQL query asks for credentials of no supported format.')
  }
  return { query: parsed, formats: new Map(byId) }
}

/** A held credential in the query library's format, without its claims and authorities. */
const candidateOf = ({ holding }: CredentialFormat, { content }: HeldCredential) => ({
  ...holding.library.credential(content.types),
  cryptographic_holder_binding: true,
})

/** A cheap check that runs first, because most credentials of a wallet have another type. */
function isOfType({ content }: HeldCredential, query: CredentialQuery): boolean {
  const types = [...content.types, VERIFIABLE_CREDENTIAL_TYPES[0]]
  const {
    vct_values: vcts,
    doctype_value: doctype,
    type_values: alternatives,
  } = (query.meta ?? {}) as {
    vct_values?: readonly string[]
    doctype_value?: string
    type_values?: readonly (readonly string[])[]
  }
  if (vcts !== undefined) return types.some((type) => vcts.includes(type))
  if (doctype !== undefined) return types.includes(doctype)
  return alternatives?.some((wanted) => wanted.every((type) => types.includes(type))) ?? true
}

/** A further condition for a credential, beside its credential query. */
export type Fits = (queryId: string, held: HeldCredential) => boolean

/** Whether the verifier accepts the algorithms of a match's signatures. */
export type IsTaken = (match: Match) => Promise<boolean>

async function fromAuthorities(
  format: CredentialFormat,
  held: readonly HeldCredential[],
  authorities: NonNullable<CredentialQuery['trusted_authorities']>,
  comesFrom: ComesFrom,
): Promise<readonly HeldCredential[]> {
  const found: HeldCredential[] = []
  for (const credential of held) if (await comesFrom(format, credential, authorities)) found.push(credential)
  return found
}

async function matchesOf(
  query: CredentialQuery,
  format: CredentialFormat | undefined,
  held: readonly HeldCredential[],
  { fits, comesFrom }: { readonly fits: Fits; readonly comesFrom: ComesFrom },
  work: Work,
): Promise<Match[]> {
  const fitting = held
    .filter((credential) => credential.format === format?.name && isOfType(credential, query))
    .slice(0, MAX_CANDIDATES)
    .filter((credential) => fits(query.id, credential))
  if (format === undefined) return []
  const { trusted_authorities: authorities } = query
  const candidates =
    authorities === undefined ? fitting : await fromAuthorities(format, fitting, authorities, comesFrom)
  if (candidates.length === 0) return []
  // The library evaluates claims differently from §7, and knows only one authority for each credential.
  const { claims: _, claim_sets: __, trusted_authorities: ___, ...others } = query
  const result = DcqlQuery.query(
    { credentials: [others] },
    candidates.map((credential) => candidateOf(format, credential)),
  )
  const found = result.credential_matches[query.id]?.valid_credentials ?? []
  const matches = found.map(async ({ input_credential_index: index }): Promise<Match | undefined> => {
    const held = candidates[index]
    const disclose = held && disclosedBy(query, await format.holding.claimsOf(held.compact), work)
    const holderBinding = query.require_cryptographic_holder_binding
    return held && disclose && { queryId: query.id, held, disclose, holderBinding }
  })
  return (await Promise.all(matches)).filter((match) => match !== undefined)
}

/** The claims to disclose; undefined if the credential does not match the query, or the check takes too much work. */
function disclosedBy(query: CredentialQuery, claims: JsonObject, work: Work): readonly ClaimsPathPointer[] | undefined {
  try {
    return selectClaims(query as AskedClaims, claims, work)
  } catch (thrown) {
    if (thrown instanceof WorkExceededError) return undefined
    throw thrown
  }
}

/** The alternatives of each required set. Without sets, every query is required (OpenID4VP 1.0 §6.4.2). */
function requiredOptions(query: DcqlQuery.Output): readonly (readonly (readonly string[])[])[] {
  if (query.credential_sets === undefined) return [[query.credentials.map(({ id }) => id)]]
  return query.credential_sets.filter(({ required }) => required).map(({ options }) => options)
}

/** The first element with the least objection. */
const leastOf = <T>(all: readonly T[], objection: (one: T) => number): T | undefined => {
  const least = Math.min(...all.map(objection))
  return all.find((one) => objection(one) === least)
}

type Matches = ReadonlyMap<string, readonly Match[]>

/** Makes the choice among matches, which are grouped by credential query. */
function choosing(query: DcqlQuery.Output, byQuery: Matches): Matching['choose'] {
  return (selectedId, objection = () => 0) => {
    const isSelected = (match: Match) => match.held.id === selectedId
    const against = ({ held }: Match) => objection(held)
    const matchFor = (id: string) => byQuery.get(id)?.find(isSelected) ?? leastOf(byQuery.get(id) ?? [], against)
    const chosen = new Map<string, Match>()
    for (const options of requiredOptions(query)) {
      const possible = options
        .map((ids) => ids.map(matchFor))
        .filter((found): found is Match[] => found.every((match) => match !== undefined))
      const option =
        possible.find((found) => found.some(isSelected)) ??
        leastOf(possible, (found) => Math.max(0, ...found.map(against)))
      if (option === undefined) return undefined
      for (const match of option) chosen.set(match.queryId, match)
    }
    return [...chosen.values()]
  }
}

async function filtered(byQuery: Matches, isTaken: IsTaken): Promise<Matches> {
  const entries = [...byQuery].map(async ([id, matches]) => {
    const taken = await Promise.all(matches.map(isTaken))
    return [id, matches.filter((_, at) => taken[at])] as const
  })
  return new Map(await Promise.all(entries))
}

/** OpenID4VP 1.0 §6.1: a holder cannot prove a key for a credential that is bound to none. */
const canProve = ({ held, holderBinding }: Match): boolean => !holderBinding || held.content.unbound !== true

/** Who judges authorities, and further conditions for credentials, beside the query. */
export interface Conditions {
  readonly comesFrom: ComesFrom
  readonly fits?: Fits | undefined
  readonly isTaken?: IsTaken | undefined
}

/**
 * Matches held credentials with a DCQL query (OpenID4VP 1.0 §6). Of several matches, the first is used, so the preferred credentials
 * must come first. Optional sets are left unanswered.
 *
 * @param work the budget for each claim that is read; if the budget does not suffice, the credential does not match
 */
export async function matchQuery(
  { query, formats }: ParsedQuery,
  held: readonly HeldCredential[],
  work: Work,
  { comesFrom, fits = () => true, isTaken }: Conditions,
): Promise<Matching> {
  const matching = query.credentials.map(
    async (one) => [one.id, await matchesOf(one, formats.get(one.id), held, { fits, comesFrom }, work)] as const,
  )
  const all: Matches = new Map(await Promise.all(matching))
  const proving = await filtered(all, async (match) => canProve(match))
  const taken = isTaken === undefined ? proving : await filtered(proving, isTaken)
  const canAnswer = (matches: Matches) => choosing(query, matches)(undefined) !== undefined
  const obstacle = canAnswer(proving) ? ('algorithms' as const) : canAnswer(all) ? ('unbound' as const) : undefined
  return {
    matches: [...taken.values()].flat(),
    choose: choosing(query, taken),
    obstacle: canAnswer(taken) ? undefined : obstacle,
  }
}
