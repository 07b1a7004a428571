import { CredentialError, decodeJwt } from '../../../server/protocol/credential/verification.js'
import { isObject, type JsonObject } from '../../../server/protocol/json/json-object.js'

const PREFIX = 'toy.'

/** A credential is `toy.` and a JWT. For a presentation, its holder appends `!` and a proof. */
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

/** Payload of a credential, either verified or held by its own holder. */
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

/** The root of claims paths. The claims are below their kind, like the elements of an mdoc below a namespace. */
export const rootOfToy = ({ kind, claims }: ToyPayload): JsonObject => ({ [kind]: claims })
