import { isObject, type JsonObject } from '../../../protocol/json/json-object.js'
import type { OfferedType } from './profile.js'

/** The members by which a wallet names a type, in addition to its format. */
export interface TypeMembers {
  readonly vct?: unknown
  readonly credential_definition?: unknown
  readonly types?: unknown
}

const MAX_TYPES = 20

/** A set of types; undefined if the value is not a list of types. */
function typeSet(value: unknown): ReadonlySet<unknown> | undefined {
  return Array.isArray(value) && value.length <= MAX_TYPES ? new Set(value) : undefined
}

/** Draft 13 Appendix A.1.1: the `type` of `credential_definition`; draft 11 Appendix E.1.1: `types`. */
function typesOf({ credential_definition: definition, types }: TypeMembers): ReadonlySet<unknown> | undefined {
  const { type, types: former }: JsonObject = isObject(definition) ? definition : {}
  return typeSet(type ?? former ?? types)
}

/** Draft 13 Appendix A.3: `vct`. Some wallets of draft 11 send `vct` in `credential_definition`. */
function vctOf({ vct, credential_definition: definition }: TypeMembers): unknown {
  return vct ?? (isObject(definition) ? definition.vct : undefined)
}

/**
 * Whether the members of a request name an offered type of the same format. Claims in the request are ignored. A library in use
 * (Sphereon's for draft 13) sends the id of the configuration instead of the type.
 */
export function isNamedBy({ id, members }: OfferedType, sent: TypeMembers): boolean {
  const [vct, askedVct] = [vctOf(members), vctOf(sent)]
  if (vct !== undefined) return askedVct === vct || askedVct === id
  const [own, asked] = [typesOf(members), typesOf(sent)]
  if (own === undefined || asked === undefined) return false
  if (asked.size === 1 && asked.has(id)) return true
  return own.size === asked.size && [...own].every((type) => asked.has(type))
}
