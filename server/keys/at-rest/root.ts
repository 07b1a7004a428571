import { type ClaimsName, type Place, PROTECTED_NAMES, type ProtectedName } from './columns.js'

/** The place of the secret that every installation has. */
export const ROOT: Place = { column: 'secrets.value', id: 'root' }

type Name = ProtectedName | ClaimsName

/**
 * The root secret, with the record of the columns that the service has encrypted.
 *
 * The record decides whether a value in the clear is read. It is in the plaintext of the root secret, so that a person who can write to
 * the database cannot change it without the key-encryption key. The record cannot be deleted alone. Without the root secret, the
 * service makes a new root secret, whose record names every column. Only an older root secret, copied from an earlier state of the database,
 * brings back an older record.
 */
export interface Root {
  /** 32 octets, from which every sealing key derives. */
  readonly secret: Uint8Array
  /** The columns that may not have values in the clear. Undefined if a version without the record stored the secret. */
  readonly encrypted: ReadonlySet<Name> | undefined
}

/** Between the secret and the record. Base64url has no space. */
const MARK = ' encrypted:'

export function rootText({ secret, encrypted }: Root): string {
  const text = Buffer.from(secret).toString('base64url')
  return encrypted === undefined ? text : `${text}${MARK}${[...encrypted].join(',')}`
}

export function parseRoot(plaintext: string): Root {
  const [secret = '', record] = plaintext.split(MARK)
  return {
    secret: new Uint8Array(Buffer.from(secret, 'base64url')),
    // A later version may know more columns.
    encrypted: record === undefined ? undefined : new Set(record.split(',') as Name[]),
  }
}

/** The record of a new installation: a database without rows has nothing in the clear. */
export const ALL_ENCRYPTED: ReadonlySet<Name> = new Set(PROTECTED_NAMES)
