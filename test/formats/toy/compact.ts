import { CredentialError, decodeJwt } from '../../../server/protocol/credential/verification.js'
import { isObject, type JsonObject } from '../../../server/protocol/json/json-object.js'

const PREFIX = 'toy.'

/** A credential is the text `toy.` and a JWT. To present it, the holder appends `!` and a proof. */
export const looksLikeToy = (compact: string): boolean => compact.startsWith(PREFIX)

export const joinToy = (jwt: string): string => `${PREFIX}${jwt}`

export const withProof = (compact: string, proof: string): string => `${compact}!${proof}`

export interface ToyParts {
  readonly jwt: string
  readonly proof: string | undefined
}

export function splitToy(compact: string): ToyParts {
  if (!looksLikeToy(compact)) throw new CredentialError('Credential is no toy.')
  const [jwt = '', proof] = compact.slice(PREFIX.length).split('!')
  return { jwt, proof }
}

/** The payload of a credential that was verified, or that the holder's wallet stores. */
export interface ToyPayload {
  readonly iss: string
  readonly kind: string
  readonly claims: JsonObject
  readonly cnf?: JsonObject
  readonly status: { readonly uri: string; readonly idx: number }
}

export function readToy(payload: JsonObject): ToyPayload {
  const { iss, kind, claims, status } = payload
  if (typeof iss !== 'string' || typeof kind !== 'string' || !isObject(claims) || !isObject(status)) {
    throw new CredentialError('Credential is no toy.')
  }
  return payload as unknown as ToyPayload
}

export const payloadOfToy = (compact: string): ToyPayload =>
  readToy(decodeJwt(splitToy(compact).jwt, 'Credential').payload)

/**
 * The value on which claims paths start. The claims are below their kind, like the elements of an mdoc below a
 * namespace.
 */
export const rootOfToy = ({ kind, claims }: ToyPayload): JsonObject => ({ [kind]: claims })
