import { createExports } from '../exports/exports.js'
import { createPeriodRecords } from '../exports/period/period.js'
import { createPersonRecords } from '../exports/person/person.js'
import { createDownloadPlaces } from '../exports/places.js'
import type { Platform } from './platform.js'

/** Creates the exports. */
export function wireExports({ config, clock, stores, vault }: Platform) {
  const claims = stores.claims
  const exports = createExports({
    store: stores.exports,
    period: createPeriodRecords({
      credentials: stores.credentialList,
      sessions: stores.verificationSessionList,
      audit: stores.audit,
      claims,
    }),
    person: createPersonRecords({ store: stores.persons, audit: stores.audit, claims, vault, config, clock }),
    knowsSchema: stores.schemas.isKnown,
    holderDidsOf: stores.dids.holderDidsOf,
    vault,
    places: createDownloadPlaces(),
    config,
    clock,
  })
  return { exports }
}
