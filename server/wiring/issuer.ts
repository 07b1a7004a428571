import type { Dids } from '../dids/dids.js'
import { createOffersAgain } from '../issuer/credential-offers/again/again.js'
import { createMakeBatch } from '../issuer/credential-offers/batch/create-batch.js'
import { createMakeOffer } from '../issuer/credential-offers/create.js'
import { createCredentialOffers } from '../issuer/credential-offers/credential-offers.js'
import { createDecisions } from '../issuer/credential-offers/decide.js'
import { createPrepareOffer } from '../issuer/credential-offers/prepare.js'
import { createCredentials } from '../issuer/credentials/credentials.js'
import { createCredentialListStore } from '../issuer/credentials/list/store.js'
import { createErasure } from '../issuer/erasure/erasure.js'
import { createIssuance } from '../issuer/issuance/issuance.js'
import { createMetadata } from '../issuer/metadata/metadata.js'
import { createAddOffering } from '../issuer/offerings/add.js'
import { createClaim } from '../issuer/offerings/claim.js'
import { createOfferings } from '../issuer/offerings/offerings.js'
import { createPageOfOffering } from '../issuer/offerings/page.js'
import { createOfferingStore } from '../issuer/offerings/store.js'
import { createSchemaListStore } from '../issuer/schemas/list/store.js'
import { createSchemas } from '../issuer/schemas/schemas.js'
import { createWalletTrust } from '../issuer/wallet-trust/wallet-trust.js'
import { createStatistics } from '../statistics/statistics.js'
import type { Platform } from './platform.js'

/** Creates the issuing features. */
export function wireIssuer(platform: Platform, { dids }: { readonly dids: Dids }) {
  const { config, formats, stores, listsOver, clock, newId, random, sealingKey } = platform
  const { keys, resolver, seals, events, metrics, statusLists } = platform

  const statistics = createStatistics({ store: stores.statistics, clock })

  const walletTrust = createWalletTrust({ config })

  const schemas = createSchemas({
    store: stores.schemas,
    lists: listsOver(createSchemaListStore),
    config,
    formats,
    clock,
    newId,
  })

  const metadata = createMetadata({
    texts: platform.metadataTexts,
    schemas: schemas.published,
    defaultIssuer: () => stores.agents.defaultIssuer(),
    recordIdentities: () => stores.dids.recordIdentities(),
    publishedKeys: () => stores.keys.published(),
    keySet: async () => (await dids.issuerKeySet()).jwks,
    keys,
    config,
    formats,
  })

  const issuance = createIssuance({
    store: stores.issuance,
    allot: statusLists.allot,
    activeSchema: schemas.active,
    knowsIssuer: async (issuerId, sub) =>
      sub === undefined
        ? stores.agents.issuerExists(issuerId)
        : (await stores.agents.issuer(issuerId, sub)) !== undefined,
    config,
    keys,
    random,
    clock,
    newId,
  })
  const { context, issue } = issuance

  const credentials = createCredentials({
    store: stores.credentials,
    history: stores.credentialHistory,
    lists: listsOver(createCredentialListStore),
    eventsOf: (id, offeringId) => stores.audit.ofCredential(id, offeringId),
    issuance,
    formats,
    resolver,
    clock,
  })

  const offerings = createOfferings({
    store: stores.offerings,
    lists: listsOver((database) => createOfferingStore(database, platform.claims)),
    add: createAddOffering({ store: stores.offerings, context, formats, config, clock, newId }),
    claim: createClaim({ offeringContext: issuance.offeringContext, issue, formats, clock }),
    pageOf: createPageOfOffering({
      config,
      sealingKey,
      keepPage: (page) => stores.pages.createOnDemand(page),
      clock,
      newId,
    }),
    holderDidsOf: (sub) => stores.dids.holderDidsOf(sub),
    config,
    formats,
    seals,
  })

  const prepare = createPrepareOffer({ context, config, formats, sealingKey, random, clock, newId })
  const credentialOffers = createCredentialOffers({
    store: stores.offerSessions,
    list: stores.offerSessionList,
    events,
    create: createMakeOffer({ prepare, store: stores.offerSessions, metrics, config, formats, seals }),
    createMany: createMakeBatch({ prepare, context, store: stores.offerBatches, sealingKey, metrics, config, seals }),
    again: createOffersAgain({
      store: stores.offersAgain,
      config,
      seals,
      sealingKey,
      metrics,
      random,
      clock,
      newId,
    }),
    decisions: createDecisions({ store: stores.deferredIssuances, metrics, formats, config, clock }),
  })

  const erasure = createErasure({ store: stores.erasure, clock })

  return {
    statistics,
    statusLists,
    walletTrust,
    schemas,
    metadata,
    issuance,
    credentials,
    offerings,
    credentialOffers,
    erasure,
  }
}

export type Issuer = ReturnType<typeof wireIssuer>
