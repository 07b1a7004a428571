import { expiriesOf } from '../agent/certificate-watch.js'
import type { RouteAccess } from '../api/contract.js'
import { accessOfOperations } from '../api/operations.js'
import type { AppPorts } from '../app.js'
import { createRequestAccess } from '../auth/request-access.js'
import type { Config } from '../config/config.js'
import { type Components, readinessOf } from '../health/readiness.js'
import { type IsPath, walletPaths } from '../http/paths.js'
import { createMaintenance, type Maintenance, type Pace } from '../maintenance/job.js'
import { createMaintenanceStore } from '../maintenance/store.js'
import type { MaintenanceTask } from '../maintenance/task.js'
import type { Metrics } from '../metrics/metrics.js'
import type { Routers } from '../router.js'
import { createRouters } from '../router.js'
import { trustListsOverview } from '../trust/watch.js'
import { type Features, wireFeatures } from './features.js'
import { createPlatform, type Platform, type PlatformOptions } from './platform.js'
import { platformOfStrangers } from './strangers.js'

/** Options that tests and the start-up set. */
export interface ServiceOptions extends PlatformOptions {
  /** Whether the maintenance job runs, for example to expire sessions. Default: true. */
  readonly maintenance?: boolean
  /** The clock and the pauses of the maintenance job. Default: the clock and the timers of the process. */
  readonly maintenancePace?: Pace
  /** Interval between two checks of the maintenance job for due tasks, in milliseconds. Default: 1,000. */
  readonly maintenanceEveryMs?: number
}

export interface Service {
  readonly platform: Platform
  readonly features: Features
  readonly app: AppPorts
  /** The data that the process reports to operators. */
  readonly operated: {
    readonly clock: () => Date
    readonly readiness: () => Promise<Components>
    readonly metrics: Metrics
  }
  /** Dependencies of the public listener's application, which treats all callers as anonymous. */
  readonly publicApp: () => AppPorts
  readonly maintenance: Maintenance
  /** Makes the readiness check fail. Requests are still served. */
  beginStop(): void
  /** Ends all event streams. A stream that opens later ends immediately. */
  endStreams(): void
  /** Closes all connections. All requests must have ended. */
  close(): Promise<void>
}

/** Dependencies of an application, taken from a service. */
const appPorts = (platform: Platform, routers: Routers): AppPorts => ({
  ...platform,
  routers,
  context: {
    accessOf: createRequestAccess({
      access: platform.access,
      config: platform.config,
      isHolderOf: platform.stores.holders.isOwnedBy,
    }),
    changing: platform.changing,
    once: platform.idempotency.once,
    production: platform.config.production,
  },
})

/** All tasks that run at intervals, independent of requests. */
const tasksOf = (platform: Platform, features: Features): readonly MaintenanceTask[] => [
  // The compiler cannot check this search, since the features have no common member. A test checks that the tasks of
  // all features are found.
  ...Object.values<object>(features).flatMap((feature) =>
    'tasks' in feature ? (feature.tasks as MaintenanceTask[]) : [],
  ),
  ...platform.tasks,
]

/** Creates the service of a process. The database must be migrated and hold the default issuer and verifier. */
export async function createService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  let isForWallets: IsPath | undefined
  const platform = await createPlatform(config, options, (path) => {
    isForWallets ??= walletPaths(routers.restRouter)
    return isForWallets(path)
  })
  let access: ReadonlyMap<string, RouteAccess> | undefined
  const operations = () => {
    access ??= accessOfOperations(routers.appRouter)
    return access
  }
  const features = wireFeatures(platform, operations)
  const routers = createRouters(platform.formats, features)
  const { clock, log, metrics, database, events } = platform
  const maintenance = createMaintenance({
    store: createMaintenanceStore(database),
    tasks: tasksOf(platform, features),
    clock,
    log,
    onBatch: metrics.maintenance,
    ...(options.maintenancePace === undefined ? {} : { pace: options.maintenancePace }),
    everyMs: options.maintenanceEveryMs,
  })
  metrics.read({
    database: database.load,
    streams: events.open,
    maintenanceLate: maintenance.late,
    encryptionLeft: platform.encryption.left,
    expiries: expiriesOf(config),
    documentSigners: platform.documentSigners.read,
    overdue: () => platform.stores.erasure.overdue(clock()),
    registrations: features.registrationWatch.overview,
    attestationLists: platform.stores.attestationWatch.overview,
    trustLists: () => trustListsOverview(platform.trustLists.all(), clock()),
    webhooks: platform.stores.webhooks.overview,
  })
  await features.publishedLists.renew()
  if (options.maintenance !== false) {
    maintenance.start()
    platform.delivery.start()
  }
  return {
    platform,
    features,
    app: appPorts(platform, routers),
    publicApp: () => {
      const strangers = platformOfStrangers(platform)
      return appPorts(strangers, createRouters(strangers.formats, wireFeatures(strangers, operations)))
    },
    operated: { clock, metrics, readiness: () => readinessOf({ health: platform.health, log }) },
    maintenance,
    beginStop: platform.beginStop,
    endStreams: () => {
      platform.changes.end()
      events.end()
    },
    close: async () => {
      await Promise.all([maintenance.stop(), platform.delivery.stop()])
      await platform.close()
    },
  }
}
