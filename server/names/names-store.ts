import { z } from 'zod'
import { type Fragment, fragment } from '../database/fragment.js'
import { where } from '../database/list-position.js'
import { storedClaims } from '../database/row-shapes.js'
import type { ClaimsName, Place } from '../keys/at-rest/columns.js'
import type { ClaimsVault, ProtectedClaims } from '../keys/claims/vault.js'
import { type HashedNames, type NameHashes, type Names, namesView } from './names.js'

/** The columns with names. */
export type NamesColumn = Extract<ClaimsName, `${string}.names`>

/** The values of the columns with names, for an INSERT: `names`, `reference_hash`, `label_hashes`. */
export interface StoredNames {
  /** For the step that stores content keys; empty without names. */
  readonly sealed: readonly ProtectedClaims[]
  readonly json: string | null
  readonly referenceHash: string | null
  readonly labelHashes: readonly string[] | null
}

/** Texts that are stored with the names of a row. Lists do not find them. */
export interface TextsBesideNames {
  /** The caller's key for an offer of a batch. */
  readonly key?: string | undefined
  /** Why a verifier makes a request. */
  readonly purpose?: string | undefined
}

/** Encrypts the names of a new row, and the texts beside them. */
export function protectedNames(
  claims: Pick<ClaimsVault, 'protect'>,
  place: Place<NamesColumn>,
  names: HashedNames | null | undefined,
  { key, purpose }: TextsBesideNames = {},
): StoredNames {
  if (names == null && key === undefined && purpose === undefined)
    return { sealed: [], json: null, referenceHash: null, labelHashes: null }
  const sealed = claims.protect(place, {
    ...namesView(names),
    ...(key === undefined ? {} : { key }),
    ...(purpose === undefined ? {} : { purpose }),
  })
  return {
    sealed: [sealed],
    json: sealed.json,
    referenceHash: names?.referenceHash ?? null,
    labelHashes: names?.labelHashes ?? null,
  }
}

/** The columns with the names of a row, in the order of {@link namesValues}. */
export const namesColumns = fragment`names, reference_hash, label_hashes`

/** The values of {@link namesColumns}. */
export const namesValues = ({ json, referenceHash, labelHashes }: StoredNames): Fragment => fragment`
  ${json}::json, ${referenceHash}::text, ${labelHashes === null ? null : [...labelHashes]}::text[]`

/** The columns of {@link selectedNames}. */
export const namesShape = { names: storedClaims, namesKey: z.string().nullable() }

/** The encrypted names of a row with an alias, as the columns `names` and `namesKey`. */
export const selectedNames = (
  claims: Pick<ClaimsVault, 'keyOf'>,
  column: NamesColumn,
  alias: Fragment,
): Fragment => fragment`
  ${alias}.names, ${claims.keyOf(column, fragment`${alias}.id`)} AS "namesKey"`

/** The columns of {@link selectedHashedNames}. */
export const hashedNamesShape = {
  ...namesShape,
  referenceHash: z.string().nullable(),
  labelHashes: z.array(z.string()).nullable(),
}

/** As {@link selectedNames}, with the hashes: for names that another row gets. */
export const selectedHashedNames = (
  claims: Pick<ClaimsVault, 'keyOf'>,
  column: NamesColumn,
  alias: Fragment,
): Fragment => fragment`
  ${selectedNames(claims, column, alias)}, ${alias}.reference_hash AS "referenceHash", ${alias}.label_hashes AS "labelHashes"`

/** Row of a statement with the columns of {@link selectedNames}. */
interface WithNames {
  readonly names: unknown
  readonly namesKey: string | null
}

/** Row of a statement with the columns of {@link selectedHashedNames}. */
interface WithHashedNames extends WithNames {
  readonly referenceHash: string | null
  readonly labelHashes: readonly string[] | null
}

/** The names in a stored value, without the key of a batch row. */
function revealed(
  claims: Pick<ClaimsVault, 'reveal'>,
  place: Place<NamesColumn>,
  stored: unknown,
  key: string | null,
): Names | null {
  const names = claims.reveal<Names>(place, stored, key)
  return names === null ? null : namesView(names)
}

/** Decrypts the names of a row; null without names. @throws SecretError if they cannot be decrypted */
export function revealedNames<Row extends WithNames>(
  claims: Pick<ClaimsVault, 'reveal'>,
  place: Place<NamesColumn>,
  row: Row,
) {
  const { names, namesKey, ...others } = row
  return { ...others, names: revealed(claims, place, names, namesKey) }
}

/** Names of a request, and why the verifier makes it. */
export interface RequestTexts {
  readonly names: Names | null
  readonly purpose: string | null
}

/** Decrypts the names and the purpose of a request. @throws SecretError if they cannot be decrypted */
export function revealedRequestTexts<Row extends WithNames>(
  claims: Pick<ClaimsVault, 'reveal'>,
  place: Place<'verification_sessions.names'>,
  row: Row,
) {
  const { names: stored, namesKey, ...others } = row
  const texts = claims.reveal<Names & { readonly purpose?: string }>(place, stored, namesKey)
  return { ...others, names: texts === null ? null : namesView(texts), purpose: texts?.purpose ?? null }
}

/** The members of an answer with the names and the purpose of a request. */
export const requestTextsView = ({ names, purpose }: RequestTexts): Names & { readonly purpose?: string } => ({
  ...namesView(names),
  ...(purpose === null ? {} : { purpose }),
})

/** Decrypts the names of a row, with their hashes. @throws SecretError if they cannot be decrypted */
export function revealedHashedNames<Row extends WithHashedNames>(
  claims: Pick<ClaimsVault, 'reveal'>,
  place: Place<NamesColumn>,
  row: Row,
) {
  const { names: stored, namesKey, referenceHash, labelHashes, ...others } = row
  const names = revealed(claims, place, stored, namesKey)
  const hashed: HashedNames | null = names === null ? null : { ...names, referenceHash, labelHashes }
  return { ...others, names: hashed }
}

/** The condition of a list's filters by names. @param alias the alias of the table */
export const hasNames = (alias: Fragment, { referenceHash, labelHash }: NameHashes): Fragment => fragment`
  ${where(referenceHash, (is) => fragment`${alias}.reference_hash = ${is}`)}
  ${where(labelHash, (is) => fragment`${alias}.label_hashes @> ARRAY[${is}]`)}`
