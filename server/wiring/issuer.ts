import type { Deps } from '../deps.js'
import { createStatistics } from '../statistics/statistics.js'

/** The issuing half. */
export function wireIssuer({ stores, clock, statusLists }: Deps) {
  const statistics = createStatistics({ store: stores.statistics, clock })

  return { statistics, statusLists }
}
