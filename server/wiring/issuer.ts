import type { Deps } from '../deps.js'
import { createSchemaListStore } from '../issuer/schemas/list/store.js'
import { createSchemas } from '../issuer/schemas/schemas.js'
import { createStatistics } from '../statistics/statistics.js'

/** The issuing half. */
export function wireIssuer(deps: Deps) {
  const { config, formats, stores, listsOver, clock, newId, statusLists } = deps

  const statistics = createStatistics({ store: stores.statistics, clock })

  const schemas = createSchemas({
    store: stores.schemas,
    lists: listsOver(createSchemaListStore),
    config,
    formats,
    clock,
    newId,
  })

  return { statistics, statusLists, schemas }
}
