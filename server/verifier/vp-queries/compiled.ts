import { errors } from '../../errors.js'
import { LruMap } from '../../protocol/jose/lru-map.js'
import {
  type CompiledItem,
  compileVpQuery,
  VpQueryError,
  type VpQueryItem,
} from '../../protocol/openid4vp/query/vp-query.js'

// Cached, since the same few queries are used for many requests and compiled again for each response.
const compiled = new LruMap<string, readonly CompiledItem[]>(256)

/** The items of a stored or posted query, ready to evaluate credentials against. Throws VpQueryError. */
export function compiledQuery(items: readonly VpQueryItem[]): readonly CompiledItem[] {
  const text = JSON.stringify(items)
  const known = compiled.get(text)
  if (known !== undefined) return known
  const made = compileVpQuery(items)
  compiled.set(text, made)
  return made
}

/** Does something with a query that a caller gave. @throws 400 for what does not compile or cannot be asked for. */
export function orBadRequest<Result>(attempt: () => Result): Result {
  try {
    return attempt()
  } catch (thrown) {
    if (thrown instanceof VpQueryError) throw errors.badRequest(thrown.message)
    throw thrown
  }
}
