import { createHmac } from 'node:crypto'
import { z } from 'zod'

/** The highest number of characters of a name, without white space at its ends. */
export const MAX_NAME = 200

/** White space at the ends of a name does not count, so a name of white space alone is empty. */
const zName = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME)
  .refine((text) => !text.includes('\0'), { error: 'must not contain a NUL character' })

/** A name in a filter. White space alone finds nothing, because no thing has such a name. */
const zWanted = z
  .string()
  .min(1)
  .trim()
  .max(MAX_NAME)
  .refine((text) => !text.includes('\0'), { error: 'must not contain a NUL character' })

const zReference = zName.meta({
  description:
    "The issuer's or verifier's own name for the thing, for example a case number. Wallets do not receive it.",
  example: 'M-2026-0042',
})

const zLabel = zName.meta({
  description: 'A name for people, for example of the person. Wallets do not receive it.',
  example: 'Ada Lovelace',
})

/** The names of a thing in a request or an answer. */
export const namesShape = { reference: zReference.optional(), label: zLabel.optional() }

/** The filters of a list by names. */
export const nameFilters = {
  reference: zWanted.optional().meta({ description: 'Only entries with exactly this `reference`.' }),
  label: zWanted.optional().meta({
    description:
      'Only entries whose `label` begins with these words. Whole words are compared, without regard to upper and lower case.',
  }),
}

/** The name of a thing that is no personal data, in a request. */
export const zPlainName = zName.meta({ description: 'A name for people.' })

/** The same name in an answer. */
export const zShownPlainName = z.string().meta({ description: 'A name for people.' })

/**
 * The names that a caller gave a thing.
 *
 * - `reference`: the caller's own name, for example a case number.
 * - `label`: a name for people.
 */
export type Names = { readonly reference?: string | undefined; readonly label?: string | undefined }

/** Names with the keyed hashes by which lists find them. */
export interface HashedNames extends Names {
  /** Null without a reference. */
  readonly referenceHash: string | null
  /** One hash for each number of leading words of the label. Null without a label. */
  readonly labelHashes: readonly string[] | null
}

/** The hashes that a list looks for. Undefined members do not filter. */
export interface NameHashes {
  readonly referenceHash?: string | undefined
  readonly labelHash?: string | undefined
}

/** A name without white space at its ends; undefined if nothing is left. */
const trimmed = (name: string | undefined): string | undefined => name?.trim() || undefined

/** The members of an answer with the names of a thing: only names that it has. */
export function namesView(names: Names | null | undefined): Names {
  const [reference, label] = [trimmed(names?.reference), trimmed(names?.label)]
  return { ...(reference === undefined ? {} : { reference }), ...(label === undefined ? {} : { label }) }
}

/** Octets of a label's hash. The hash need not be unique: many things have the same leading word. */
const LABEL_OCTETS = 12

/** The highest number of a label's words that count. */
const MAX_WORDS = 100

/** The words of a label. Differences in case, spaces and composed characters do not count. */
const wordsOf = (label: string): readonly string[] =>
  label
    .normalize('NFKC')
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS)

/** Computes the hashes by which lists find names. */
export interface NameIndex {
  /** The names of a new thing with their hashes; null without names. */
  readonly hashed: (names: Names) => HashedNames | null
  /** The hashes for the filters of a list. */
  readonly wanted: (filters: Names) => NameHashes
}

/** @param key an installation's own key: without the key, nobody can compute the hash of a guessed name */
export function createNameIndex(key: Uint8Array): NameIndex {
  const mac = (text: string) => createHmac('sha256', key).update(text)

  /** The keyed hash of a reference, base64url. */
  const referenceHash = (reference: string): string => mac(`reference ${reference}`).digest('base64url')

  const wordsHash = (words: readonly string[]): string =>
    mac(`label ${words.join(' ')}`)
      .digest()
      .subarray(0, LABEL_OCTETS)
      .toString('base64url')

  return {
    hashed({ reference, label }) {
      if (reference === undefined && label === undefined) return null
      const words = label === undefined ? [] : wordsOf(label)
      return {
        ...namesView({ reference, label }),
        referenceHash: reference === undefined ? null : referenceHash(reference),
        labelHashes: words.length === 0 ? null : words.map((_, position) => wordsHash(words.slice(0, position + 1))),
      }
    },

    wanted: ({ reference, label }) => ({
      referenceHash: reference === undefined ? undefined : referenceHash(reference),
      labelHash: label === undefined ? undefined : wordsHash(wordsOf(label)),
    }),
  }
}
