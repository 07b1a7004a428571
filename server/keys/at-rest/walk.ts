import { setImmediate as otherWork } from 'node:timers/promises'
import { SecretError, secretPrefix } from '../../protocol/jose/sealed.js'
import { type ClaimsVault, wrappedPrefix } from '../claims/vault.js'
import { createVault, notEncrypted, openStored } from '../vault.js'
import {
  CLAIMS_COLUMNS,
  type ClaimsName,
  type Place,
  PROTECTED_COLUMNS,
  type ProtectedColumn,
  type ProtectedName,
} from './columns.js'
import type { NewClaims, NewContentKey, NewValue, VisitedKey, VisitedRow, WalkStore } from './walk-store.js'

/** The content keys of claims. A changed key-encryption key wraps them again and leaves the claims as they are. */
export const CONTENT_KEYS = 'content_keys.wrapped'

/** A column that can be walked. */
export type WalkName = ProtectedName | ClaimsName | typeof CONTENT_KEYS

/** A value that was left as it is. */
export interface RefusedValue {
  /** Column and id. */
  readonly name: string
  readonly error: SecretError
}

/** The result of one batch. */
export interface WalkedBatch {
  /** The last row before which nothing is left to do; undefined after the last row of the column. */
  readonly position: string | undefined
  /** Numbers of visited and of newly encrypted values. */
  readonly seen: number
  readonly changed: number
  readonly refused: readonly RefusedValue[]
}

/** Visits the rows of one column and encrypts the values that need it. */
export interface Walk {
  readonly name: WalkName
  /** @param after the position of the last batch; empty at the beginning */
  batch(after: string, take: number): Promise<WalkedBatch>
}

/** Rows that are encrypted without a pause. A pause lets requests of this process continue. */
const WITHOUT_PAUSE = 10
/** Rows of one statement. PostgreSQL stores them while this process encrypts the next ones. */
const AT_ONCE = 50

/** A form of stored values. Rows have a position in their order. */
interface Form<Row extends { readonly stored: string | null }, Renewed> {
  readonly page: (after: string, take: number) => Promise<Row[]>
  readonly positionOf: (row: Pick<Row, Exclude<keyof Row, 'stored'>>) => string
  /** @returns undefined if there is nothing to do. @throws SecretError if the value is refused */
  readonly renewed: (row: Row, stored: string) => Promise<Renewed | undefined>
  /** @returns the positions of the replaced rows. */
  readonly replace: (values: readonly Renewed[]) => Promise<string[]>
}

function walkOf<Row extends { readonly stored: string | null }, Renewed>(
  name: WalkName,
  form: Form<Row, Renewed>,
): Walk {
  return {
    name,
    async batch(after, take) {
      const rows = await form.page(after, take)
      const refused: RefusedValue[] = []
      const wanted: string[] = []
      const replaced = new Set<string>()
      let storing = Promise.resolve()
      const store = async (values: readonly Renewed[]) => {
        for (const position of await form.replace(values)) replaced.add(position)
      }
      let values: Renewed[] = []
      for (const [number, row] of rows.entries()) {
        if (row.stored === null) continue
        if (number % WITHOUT_PAUSE === 0) await otherWork()
        try {
          const value = await form.renewed(row, row.stored)
          if (value === undefined) continue
          values.push(value)
          wanted.push(form.positionOf(row))
        } catch (error) {
          if (!(error instanceof SecretError)) throw error
          refused.push({ name: `${name} ${form.positionOf(row)}`, error })
        }
        if (values.length < AT_ONCE) continue
        await storing
        storing = store(values)
        // The failure is thrown where the statement is awaited.
        storing.catch(() => undefined)
        values = []
      }
      await storing
      await store(values)
      // A row that changed meanwhile is visited again: the next batch begins before it.
      const missed = wanted.find((position) => !replaced.has(position))
      const positions = rows.map(form.positionOf)
      const end = missed === undefined ? positions.length : positions.indexOf(missed)
      const position = rows.length === 0 ? undefined : (positions[end - 1] ?? after)
      return { position, seen: end, changed: replaced.size, refused }
    },
  }
}

/** Dependencies of walks. */
export interface WalkPorts {
  readonly store: WalkStore
  /** Key-encryption keys of 32 octets, at least one; the first one encrypts, all of them decrypt. The content of the list may change. */
  readonly keys: readonly Uint8Array[]
  readonly claims: Pick<ClaimsVault, 'protectJson' | 'rewrapped'>
  /** Whether the service has encrypted a column. A value in the clear is then refused, and never encrypted. */
  readonly isEncrypted: (column: ProtectedName | ClaimsName) => boolean
}

function currentKey([current]: readonly Uint8Array[]): Uint8Array {
  if (current === undefined) throw new Error('There is no key-encryption key.')
  return current
}

function secretWalk(column: ProtectedColumn, { store, keys, isEncrypted }: WalkPorts): Walk {
  const vault = createVault(keys)
  let own: ReadonlySet<string> = new Set()
  let isDone = false
  return walkOf<VisitedRow, NewValue>(column.name, {
    page: async (after, take) => {
      // Before the read: another process may finish the column while this process works on the page.
      isDone = isEncrypted(column.name)
      const rows = await store.secrets(column, secretPrefix(currentKey(keys)), after, take)
      // The start encrypted the keys of the installation itself, so one in the clear is not its own.
      const left = column.name === 'keys.private_jwk' ? rows.filter(({ stored }) => stored !== null) : []
      own = left.length === 0 ? new Set() : new Set(await store.ownKeys(left.map(({ id }) => id)))
      return rows
    },
    positionOf: ({ id }) => id,
    renewed: async ({ id, version }, stored) => {
      const place: Place = { column: column.name, id }
      const { plaintext, form } = await openStored(keys, place, stored)
      if (form === 'current') return undefined
      if (form !== 'former' && (isDone || own.has(id))) throw notEncrypted(place)
      return { id, version, value: await vault.protect(place, plaintext) }
    },
    replace: (values) => store.replaceSecrets(column, values),
  })
}

/** Whether claims are a signed credential. */
function hasProof(json: string): boolean {
  const claims: unknown = JSON.parse(json)
  return typeof claims === 'object' && claims !== null && 'proof' in claims
}

const isJsonString = (json: string) => json.trimStart().startsWith('"')

function claimsWalk(column: ProtectedColumn<ClaimsName>, { store, claims, isEncrypted }: WalkPorts): Walk {
  let isDone = false
  return walkOf<VisitedRow, NewClaims>(column.name, {
    page: (after, take) => {
      isDone = isEncrypted(column.name)
      return store.claims(column, after, take)
    },
    positionOf: ({ id }) => id,
    renewed: async ({ id, version }, stored) => {
      if (isJsonString(stored)) return undefined
      if (isDone) throw new SecretError(`A value of ${column.name} is not encrypted for its row.`)
      const { json, wrappedKey } = claims.protectJson({ column: column.name, id }, stored)
      return { id, version, value: json, wrapped: wrappedKey ?? '', signed: hasProof(stored) }
    },
    replace: (values) => store.replaceClaims(column, values),
  })
}

const keyPosition = ({ id, column }: { readonly id: string; readonly column: string }) => `${id} ${column}`

/** A name of a column has no space. */
function keyOfPosition(position: string): readonly [id: string, column: string] {
  const space = position.lastIndexOf(' ')
  return [position.slice(0, Math.max(space, 0)), position.slice(space + 1)]
}

function contentKeysWalk({ store, keys, claims }: WalkPorts): Walk {
  return walkOf<VisitedKey, NewContentKey>(CONTENT_KEYS, {
    page: (after, take) => store.contentKeys(wrappedPrefix(currentKey(keys)), keyOfPosition(after), take),
    positionOf: keyPosition,
    renewed: async ({ id, column, version }, stored) => {
      const value = claims.rewrapped({ column: column as ClaimsName, id }, stored)
      return value === undefined ? undefined : { id, column, version, value }
    },
    replace: async (values) => (await store.replaceContentKeys(values)).map(keyPosition),
  })
}

/** A walk for each protected column. Keys come first: the service needs them most. */
export const createWalks = (ports: WalkPorts): readonly Walk[] => [
  ...PROTECTED_COLUMNS.map((column) => secretWalk(column, ports)),
  contentKeysWalk(ports),
  ...CLAIMS_COLUMNS.map((column) => claimsWalk(column, ports)),
]

/** The names of all walks. */
export const WALK_NAMES: readonly WalkName[] = [
  ...PROTECTED_COLUMNS.map(({ name }) => name),
  CONTENT_KEYS,
  ...CLAIMS_COLUMNS.map(({ name }) => name),
]

/** Whether the values of a column may be in the clear. Content keys never are. */
export const mayBeClear = (name: WalkName): name is ProtectedName | ClaimsName => name !== CONTENT_KEYS

/** Claims have content keys, so a changed key-encryption key changes nothing in their columns. */
export const dependsOnKey = (name: WalkName): boolean => !CLAIMS_COLUMNS.some((column) => column.name === name)
