import { createCertificateWatch } from '../agent/certificate-watch.js'
import { createAuditStore } from '../audit/store.js'
import { auditTasks } from '../audit/tasks.js'
import { createAcceptLogin, createRevokeTokens } from '../console/accept-login.js'
import { createConsole } from '../console/console.js'
import { createLogin } from '../console/login.js'
import { createLogOut } from '../console/logout.js'
import { consoleTasks } from '../console/tasks.js'
import type { Deps } from '../deps.js'
import { eventTasks } from '../events/tasks.js'
import { readinessOf } from '../health/readiness.js'
import { issuerMetadata } from '../issuer/metadata/published.js'
import { type PartitionTaskOf, partitionTask } from '../maintenance/partitions/task.js'
import { createHomePage } from '../service/home-page.js'
import { SERVICE } from '../service/release.js'
import { identityProviderItem, redisItem } from '../setup/access.js'
import { createAddressChecks } from '../setup/addresses.js'
import { createSetup, credentialTypesItem, issuerMetadataItem } from '../setup/setup.js'
import { keyItems } from '../setup/signing.js'

/** What operators use: the console, health, settings, the checklist, audit events. */
export function wireOperators(deps: Deps) {
  const { config, stores, listsOver, clock, log, formats, outbound, consoleSessions: sessions, signIn } = deps
  const readiness = (requestId: string) => readinessOf(deps, requestId)

  const partitionTaskOf: PartitionTaskOf = (plan) => partitionTask(deps, plan)

  const audit = { lists: listsOver(createAuditStore), tasks: auditTasks(partitionTaskOf) }
  const sessionEvents = {
    tasks: eventTasks({
      store: stores.events,
      partitions: stores.partitions,
      partitionTask: partitionTaskOf,
      config,
    }),
  }
  const health = { clock, readiness }
  const homePage = createHomePage({
    config,
    readiness,
    forStrangers: deps.forStrangers === true,
    version: SERVICE.version,
  })
  const settings = { config, formats }

  const certificates = createCertificateWatch({
    config,
    log,
    keys: stores.keys,
    hasDoctype: stores.schemas.hasDoctype,
  })

  const addresses = createAddressChecks({
    config,
    outbound,
    statusLists: stores.statusLists,
    verifierDid: async () => {
      const verifier = await stores.agents.defaultVerifier()
      return verifier === undefined ? undefined : stores.dids.webDidOf(verifier.keySetId)
    },
  })
  const setup = createSetup({
    config,
    clock,
    storedWarnings: certificates.storedWarnings,
    storedItems: async () => {
      const [keys, isAny, metadata] = await Promise.all([
        keyItems(stores.agents, stores.keys),
        stores.schemas.isAny(),
        issuerMetadata(deps),
      ])
      return [...keys, credentialTypesItem(isAny), issuerMetadataItem(metadata)]
    },
    askedItems: async () => {
      const items = await Promise.all([
        addresses.baseUrls(),
        Promise.all([
          identityProviderItem(config, deps.health.checks.identityProvider),
          addresses.statusLists(),
          redisItem(config),
        ]),
      ])
      return items.flat()
    },
  })

  const revoke = signIn === undefined ? undefined : createRevokeTokens(signIn, log)
  const users =
    sessions === undefined || signIn === undefined || revoke === undefined ? undefined : { sessions, signIn, revoke }
  const console = createConsole({
    config,
    access: deps.access,
    sessions,
    changes: deps.changes,
    login: createLogin({
      config,
      signIn,
      accept: users && createAcceptLogin({ ...users, config, tokens: deps.tokens, log }),
      useState: stores.consoleSessions.useState,
      key: deps.sealingKey('console-login'),
      clock,
      random: deps.random,
      log,
    }),
    logOut: createLogOut({ config, users, log }),
  })

  return {
    audit,
    sessionEvents,
    health,
    homePage,
    settings,
    certificates,
    setup,
    console: { ...console, tasks: consoleTasks(stores.consoleSessions) },
  }
}
