import { createCertificateWatch } from '../agent/certificate-watch.js'
import type { RegistrationWatch } from '../agent/registrations/watch.js'
import type { RouteAccess } from '../api/contract.js'
import { auditPartitions, createAuditStore } from '../audit/store.js'
import { createAcceptLogin, createRevokeTokens } from '../console/accept-login.js'
import { createConsole } from '../console/console.js'
import { createLogin } from '../console/login.js'
import { createLogOut } from '../console/logout.js'
import { eventTasks } from '../events/tasks.js'
import { readinessOf } from '../health/readiness.js'
import type { Metadata } from '../issuer/metadata/metadata.js'
import type { Schemas } from '../issuer/schemas/schemas.js'
import { createSearch } from '../search/search.js'
import { createHomePage } from '../service/home-page.js'
import { SERVICE } from '../service/release.js'
import { identityProviderItem, redisItem } from '../setup/access.js'
import { createAddressChecks } from '../setup/addresses.js'
import { attestationListsItem } from '../setup/attestation-lists.js'
import { keyProvidersItem } from '../setup/key-providers.js'
import {
  claimsSourcesItem,
  createSetup,
  credentialTypesItem,
  issuerMetadataItem,
  webhooksItem,
} from '../setup/setup.js'
import { keyItems } from '../setup/signing.js'
import { trustListsItem } from '../trust/watch.js'
import type { VerificationSessions } from '../verifier/sessions/verification-sessions.js'
import type { Platform } from './platform.js'

interface OperatedFeatures {
  readonly registrationWatch: RegistrationWatch
  readonly schemas: Schemas
  readonly metadata: Metadata
  readonly verificationSessions: Pick<VerificationSessions, 'asksOf'>
}

/** Creates the features for operators: console, health, settings, checklist and audit events. */
export function wireOperators(
  platform: Platform,
  { registrationWatch, schemas, metadata, verificationSessions }: OperatedFeatures,
  operations: () => ReadonlyMap<string, RouteAccess>,
) {
  const {
    config,
    stores,
    listsOver,
    clock,
    log,
    formats,
    outbound,
    partitionTask,
    consoleSessions: sessions,
    signIn,
  } = platform
  const readiness = (requestId: string) => readinessOf({ health: platform.health, log }, requestId)

  const audit = {
    lists: listsOver(createAuditStore),
    tasks: [partitionTask(auditPartitions(config.retentionAuditDays))],
  }
  const sessionEvents = {
    tasks: eventTasks({
      store: stores.events,
      partitions: stores.partitions,
      partitionTask,
      config,
    }),
  }
  const health = { clock, readiness }
  const homePage = createHomePage({
    config,
    readiness,
    forStrangers: platform.forStrangers === true,
    version: SERVICE.version,
  })
  const settings = { config, formats }
  const search = createSearch({ store: stores.search, names: platform.names, asksOf: verificationSessions.asksOf })

  const certificates = createCertificateWatch({
    config,
    log,
    keys: stores.keys,
    hasDoctype: schemas.hasDoctype,
    registrationWarnings: registrationWatch.warnings,
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
      const [keys, isAny, published, attestationLists, sources, webhooks, registrations] = await Promise.all([
        keyItems(stores.agents, stores.keys),
        schemas.isAny(),
        metadata.issuer(),
        stores.attestationWatch.overview(),
        stores.claimsSources.health(),
        stores.webhooks.health(),
        registrationWatch.item(),
      ])
      return [
        ...keys,
        credentialTypesItem(isAny),
        issuerMetadataItem(published),
        attestationListsItem(attestationLists),
        claimsSourcesItem(sources),
        webhooksItem(webhooks),
        trustListsItem(platform.trustLists.all(), clock()),
        registrations,
      ]
    },
    askedItems: async () => {
      const items = await Promise.all([
        addresses.baseUrls(),
        Promise.all([
          identityProviderItem(config, platform.health.checks.identityProvider),
          addresses.statusLists(),
          redisItem(config),
          platform.keyProviders.states().then(keyProvidersItem),
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
    access: platform.access,
    sessions,
    removeExpired: stores.consoleSessions.removeExpired,
    changes: platform.changes,
    login: createLogin({
      config,
      signIn,
      accept: users && createAcceptLogin({ ...users, config, tokens: platform.tokens, log }),
      useState: stores.consoleSessions.useState,
      key: platform.sealingKey('console-login'),
      clock,
      random: platform.random,
      log,
    }),
    logOut: createLogOut({ config, users, log }),
    operations,
  })

  return {
    audit,
    sessionEvents,
    health,
    homePage,
    settings,
    search,
    certificates,
    setup,
    console,
  }
}
