import { createHmac } from 'node:crypto'
import type { HashedNames } from '../../names/names.js'

/** How many credentials of a type a subject may have at the same time. */
export interface ActiveSets {
  readonly perSubject: 1
}

/** The choices for earlier instances when a wallet takes new instances with a refresh token. */
export const ON_REFRESH = ['keep', 'revoke-previous'] as const

export type OnRefresh = (typeof ON_REFRESH)[number]

/** The parts of a type and its issuer that decide about active sets. */
interface SetOf {
  readonly name: string
  readonly issuerId: string
  readonly activeSets: ActiveSets | null
}

/** The names of a subject, in the order in which they count. */
export interface SubjectNames {
  /** The `sub` of the user who may take the offer. */
  readonly forSubject: string | null
  /** The names that the issuer gave. The reference counts. */
  readonly names: Pick<HashedNames, 'referenceHash'> | null
  /** The DID of the recipient. */
  readonly did: string | null
  /** The `sub` of the user who claims an offering. */
  readonly user: string | null
}

/**
 * The keyed hash of the subject of a credential, with its type and issuer; null if the type has no limit, or the subject has no
 * name.
 */
export type SubjectHash = (type: SetOf, subject: SubjectNames) => string | null

const nameOf = ({ forSubject, names, did, user }: SubjectNames): readonly [string, string] | undefined => {
  if (forSubject !== null) return ['sub', forSubject]
  const referenceHash = names?.referenceHash ?? null
  if (referenceHash !== null) return ['reference', referenceHash]
  if (did !== null) return ['did', did]
  return user === null ? undefined : ['sub', user]
}

/** @param key the key of the hashes */
export const createSubjectHash =
  (key: Uint8Array): SubjectHash =>
  ({ name, issuerId, activeSets }, subject) => {
    const named = activeSets === null ? undefined : nameOf(subject)
    if (named === undefined) return null
    return createHmac('sha256', key)
      .update(JSON.stringify([name, issuerId, ...named]))
      .digest('base64url')
  }
