import { DcqlQuery } from 'dcql'
import type { ClaimsPathPointer } from '../../protocol/sd-jwt-vc/present.js'
import { authorityKeyIdentifiers, claimsOf, type HeldCredential } from '../credentials/held.js'
import { WalletError } from '../protocol/wallet-error.js'

/** Bounds on what a stranger's query may cost. */
const MAX_QUERY_CHARACTERS = 32 * 1024
const MAX_CREDENTIAL_QUERIES = 20
const MAX_CLAIMS = 200
const MAX_CANDIDATES = 200

const EXPANDED_TYPE = 'https://www.w3.org/2018/credentials#VerifiableCredential'

type CredentialQuery = DcqlQuery.Output['credentials'][number]

/** A held credential that answers a credential query, with the claims that it must disclose. */
export interface Match {
  readonly queryId: string
  readonly held: HeldCredential
  readonly disclose: readonly ClaimsPathPointer[]
  /** Whether the verifier wants proof that the holder has the key (OpenID4VP 1.0 §6.1). */
  readonly holderBinding: boolean
}

/** What of a wallet answers a query. */
export interface Matching {
  /** Every match, by credential query. */
  readonly matches: readonly Match[]
  /**
   * The credential queries that are to be answered, one set of alternatives after the other; undefined where it cannot
   * be.
   */
  readonly choose: (selectedId: string | undefined) => readonly Match[] | undefined
}

/** `vc+sd-jwt` is the name that drafts had for SD-JWT VCs. */
function withCurrentFormat(query: unknown): unknown {
  if (typeof query !== 'object' || query === null) return query
  const { format, meta } = query as { format?: unknown; meta?: { vct_values?: unknown } }
  return format === 'vc+sd-jwt' && meta?.vct_values !== undefined ? { ...query, format: 'dc+sd-jwt' } : query
}

/** @throws WalletError for a query that is malformed, or asks for more than any honest one does. */
export function parseQuery(query: Readonly<Record<string, unknown>>): DcqlQuery.Output {
  if (JSON.stringify(query).length > MAX_QUERY_CHARACTERS) throw new WalletError('The DCQL query is too large.')
  const credentials = Array.isArray(query.credentials) ? query.credentials.map(withCurrentFormat) : query.credentials
  let parsed: DcqlQuery.Output
  try {
    parsed = DcqlQuery.parse({ ...query, credentials } as DcqlQuery.Input)
    DcqlQuery.validate(parsed)
  } catch (cause) {
    throw new WalletError('The DCQL query is not valid.', { cause })
  }
  const claims = parsed.credentials.reduce((count, credential) => count + (credential.claims?.length ?? 0), 0)
  if (parsed.credentials.length > MAX_CREDENTIAL_QUERIES || claims > MAX_CLAIMS) {
    throw new WalletError('The DCQL query asks for too much at once.')
  }
  return parsed
}

/** A held credential as the query library sees it. */
function candidateOf(held: HeldCredential) {
  const claims = claimsOf(held.format, held.compact) as Record<string, never>
  const [authority, ...further] = authorityKeyIdentifiers(held.format, held.compact)
  const common = {
    claims,
    cryptographic_holder_binding: true,
    ...(authority === undefined
      ? {}
      : { authority: { type: 'aki' as const, values: [authority, ...further] as [string, ...string[]] } }),
  }
  const [vct = ''] = held.content.types
  return held.format === 'dc+sd-jwt'
    ? { ...common, credential_format: held.format, vct }
    : { ...common, credential_format: held.format, type: [...held.content.types, EXPANDED_TYPE] }
}

/** Cheap, and before all else: most credentials of a wallet are of another type. */
function isOfType({ format, content }: HeldCredential, query: CredentialQuery): boolean {
  if (format !== query.format) return false
  const types = [...content.types, EXPANDED_TYPE]
  const { vct_values: vcts, type_values: alternatives } = (query.meta ?? {}) as {
    vct_values?: readonly string[]
    type_values?: readonly (readonly string[])[]
  }
  if (vcts !== undefined) return types.some((type) => vcts.includes(type))
  return alternatives?.some((wanted) => wanted.every((type) => types.includes(type))) ?? true
}

function matchesOf(query: CredentialQuery, held: readonly HeldCredential[]): Match[] {
  const candidates = held.filter((credential) => isOfType(credential, query)).slice(0, MAX_CANDIDATES)
  if (candidates.length === 0) return []
  const result = DcqlQuery.query({ credentials: [query] }, candidates.map(candidateOf))
  const found = result.credential_matches[query.id]?.valid_credentials ?? []
  return found.flatMap(({ input_credential_index: index, claims }) => {
    const credential = candidates[index]
    if (credential === undefined) return []
    // §6.4.1: of several claim sets the first that can be met; without any, every claim; without claims, nothing.
    const disclosed = claims.valid_claim_sets[0].valid_claim_indexes ?? []
    const paths = disclosed.map(
      (claim) => (query.claims?.[claim] as { path?: ClaimsPathPointer } | undefined)?.path ?? [],
    )
    return [
      {
        queryId: query.id,
        held: credential,
        disclose: paths,
        holderBinding: query.require_cryptographic_holder_binding,
      },
    ]
  })
}

/** The alternatives of each set that must be answered; without sets every query must be (OpenID4VP 1.0 §6.4.2). */
function requiredOptions(query: DcqlQuery.Output): readonly (readonly (readonly string[])[])[] {
  if (query.credential_sets === undefined) return [[query.credentials.map(({ id }) => id)]]
  return query.credential_sets.filter(({ required }) => required).map(({ options }) => options)
}

/**
 * Matches held credentials with a DCQL query (OpenID4VP 1.0 §6). Of several that match, the first is taken: give the
 * preferred ones first. Sets that the verifier can do without are left unanswered.
 */
export function matchQuery(query: DcqlQuery.Output, held: readonly HeldCredential[]): Matching {
  const byQuery = new Map(query.credentials.map((credential) => [credential.id, matchesOf(credential, held)]))
  const choose = (selectedId: string | undefined): readonly Match[] | undefined => {
    const isSelected = (match: Match) => match.held.id === selectedId
    const matchFor = (id: string) => byQuery.get(id)?.find(isSelected) ?? byQuery.get(id)?.[0]
    const chosen = new Map<string, Match>()
    for (const options of requiredOptions(query)) {
      const possible = options
        .map((ids) => ids.map(matchFor))
        .filter((found) => found.every((match) => match !== undefined))
      const option =
        possible.find((found) => found.some((match) => match !== undefined && isSelected(match))) ?? possible[0]
      if (option === undefined) return undefined
      for (const match of option) if (match !== undefined) chosen.set(match.queryId, match)
    }
    return [...chosen.values()]
  }
  return { matches: [...byQuery.values()].flat(), choose }
}
