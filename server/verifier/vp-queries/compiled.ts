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
 * Compiles a query that a caller posts. It may take half of a request's work, so that a request that evaluates credentials by it
 * has the other half. Nothing is kept here: what becomes of its filters is kept with all other JSON Schemas.
 *
 * @throws VpQueryError
 */
export function compiledNewQuery(items: readonly VpQueryItem[], work: Work): readonly CompiledItem[] {
  return compileVpQuery(items, work.part(WORK_PER_REQUEST / 2))
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
