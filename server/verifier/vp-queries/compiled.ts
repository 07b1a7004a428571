import { WORK_PER_REQUEST } from '../../api/context.js'
import { errors } from '../../api/errors.js'
import {
  type CompiledItem,
  compileVpQuery,
  VpQueryError,
  type VpQueryItem,
} from '../../protocol/openid4vp/query/vp-query.js'
import type { Work } from '../../protocol/work.js'

/**
 * Compiles a query that a caller posts. Compiling may use half of a request's work. The other half is for the
 * evaluation of credentials by the query. The cache of all JSON Schemas holds the compiled filters.
 *
 * @throws VpQueryError
 */
export function compiledNewQuery(items: readonly VpQueryItem[], work: Work): readonly CompiledItem[] {
  return compileVpQuery(items, work.part(WORK_PER_REQUEST / 2))
}

/** Runs a function on a caller's query. @throws 400 if the query does not compile or cannot be requested. */
export function orBadRequest<Result>(attempt: () => Result): Result {
  try {
    return attempt()
  } catch (thrown) {
    if (thrown instanceof VpQueryError) throw errors.badRequest(thrown.message)
    throw thrown
  }
}
