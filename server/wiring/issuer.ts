import type { Registrations } from '../agent/registrations/registrations.js'
import type { Dids } from '../dids/dids.js'
import { createDownloadPlaces } from '../exports/places.js'
import type { AcceptDisplay } from '../images/accept-display.js'
import { createImages } from '../images/images.js'
import { createAcceptSource } from '../issuer/claims-source/accept.js'
import { createAskSource } from '../issuer/claims-source/ask.js'
import { createClaimsSources } from '../issuer/claims-source/claims-source.js'
import { createSourceSecrets } from '../issuer/claims-source/secrets.js'
import { createOffersAgain } from '../issuer/credential-offers/again/again.js'
import { createOpenOffer } from '../issuer/credential-offers/again/open-offer.js'
import { createMakeBatch } from '../issuer/credential-offers/batch/create-batch.js'
import { createOfferBatches } from '../issuer/credential-offers/batches/batches.js'
import { createMakeOffer } from '../issuer/credential-offers/create.js'
import { createCredentialOffers } from '../issuer/credential-offers/credential-offers.js'
import { createDecisions } from '../issuer/credential-offers/decide.js'
import { createPrepareOffer } from '../issuer/credential-offers/prepare.js'
import { createCredentials } from '../issuer/credentials/credentials.js'
import { createCredentialListStore } from '../issuer/credentials/list/store.js'
import { createErasure } from '../issuer/erasure/erasure.js'
import { createSubjectHash } from '../issuer/issuance/active-sets.js'
import { configurationIdsOf } from '../issuer/issuance/configurations.js'
import { createIssuance } from '../issuer/issuance/issuance.js'
import { createSign } from '../issuer/issuance/sign.js'
import { createMetadata } from '../issuer/metadata/metadata.js'
import { createAddOffering } from '../issuer/offerings/add.js'
import { createClaim } from '../issuer/offerings/claim.js'
import { createOfferingView } from '../issuer/offerings/offering-json.js'
import { createOfferings } from '../issuer/offerings/offerings.js'
import { createPageOfOffering } from '../issuer/offerings/page.js'
import { createOfferingStore } from '../issuer/offerings/store.js'
import { createSchemaListStore } from '../issuer/schemas/list/store.js'
import { createSchemas } from '../issuer/schemas/schemas.js'
import { createStatusJobs } from '../issuer/status-jobs/status-jobs.js'
import { createWalletTrust } from '../issuer/wallet-trust/wallet-trust.js'
import { createStatistics } from '../statistics/statistics.js'
import type { Platform } from './platform.js'

/** Creates the issuing features. */
export function wireIssuer(
  platform: Platform,
  {
    dids,
    acceptDisplay,
    registrations,
  }: { readonly dids: Dids; readonly acceptDisplay: AcceptDisplay; readonly registrations: Registrations },
) {
  const { config, formats, stores, listsOver, clock, newId, random, sealingKey, names } = platform
  const { documentSigners, resolver, seals, events, metrics, statusLists, vault } = platform

  const statistics = createStatistics({ store: stores.statistics, clock })

  const walletTrust = createWalletTrust({ config })

  const secrets = createSourceSecrets(stores.claimsSources, vault)

  const images = createImages({ store: stores.images, config, clock })

  const schemas = createSchemas({
    store: stores.schemas,
    lists: listsOver(createSchemaListStore),
    config,
    formats,
    acceptDisplay,
    acceptSource: createAcceptSource({ config, active: (name) => stores.schemas.active(name), secrets }),
    clock,
    newId,
  })

  const ask = createAskSource({
    store: stores.claimsSources,
    secrets,
    outbound: platform.outbound,
    formats,
    metrics,
    log: platform.log,
    clock,
    newId,
  })
  const claimsSources = createClaimsSources({
    store: stores.claimsSources,
    findSchema: (id) => stores.schemas.find(id),
    secrets,
    ask,
    configurationIds: ({ name, mdoc }) =>
      configurationIdsOf(formats.issued, name, {
        asMdoc: mdoc !== null,
        certified: config.issuerX509 !== undefined,
      }),
    clock,
  })

  const metadata = createMetadata({
    texts: platform.metadataTexts,
    schemas: schemas.published,
    defaultIssuer: () => stores.agents.defaultIssuer(),
    recordIdentities: () => stores.dids.recordIdentities(),
    published: { keys: () => stores.keys.published(), registrations: registrations.published },
    keySet: async () => (await dids.issuerKeySet()).jwks,
    documentSigners,
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
    sign: createSign({ config, documentSigners, random, clock }),
    subjectHash: createSubjectHash(sealingKey('active-sets')),
    clock,
    newId,
  })
  const { context, issue } = issuance

  const credentials = createCredentials({
    store: stores.credentials,
    history: stores.credentialHistory,
    lists: listsOver((database) => createCredentialListStore(database, platform.claims)),
    eventsOf: (id, offeringId) => stores.audit.ofCredential(id, offeringId),
    issuance,
    formats,
    resolver,
    names,
    clock,
  })

  const offerings = createOfferings({
    store: stores.offerings,
    lists: listsOver((database) => createOfferingStore(database, platform.claims)),
    add: createAddOffering({ store: stores.offerings, context, formats, config, names, clock, newId }),
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
    view: createOfferingView({ config, formats, seals }),
    names,
  })

  const prepare = createPrepareOffer({
    context,
    config,
    formats,
    sealingKey,
    names,
    random,
    mayAsk: claimsSources.mayAsk,
    clock,
    newId,
  })
  const openOffer = createOpenOffer({ config, seals, sealingKey, clock })
  const decisions = createDecisions({ store: stores.deferredIssuances, metrics, formats, config, clock })
  const credentialOffers = createCredentialOffers({
    store: stores.offerSessions,
    list: stores.offerSessionList,
    events,
    create: createMakeOffer({ prepare, store: stores.offerSessions, metrics, config, formats, seals }),
    createMany: createMakeBatch({
      prepare,
      context,
      store: stores.offerBatches,
      sealingKey,
      metrics,
      config,
      seals,
      clock,
      newId,
    }),
    again: createOffersAgain({
      store: stores.offersAgain,
      config,
      openOffer,
      undecided: decisions.undecided,
      sealingKey,
      metrics,
      random,
      clock,
      newId,
    }),
    names,
    decisions,
  })

  const offerBatches = createOfferBatches({
    store: stores.madeBatches,
    keys: stores.offerBatches,
    openOffer,
    sealingKey,
    places: createDownloadPlaces(),
    metrics,
    clock,
  })

  const erasure = createErasure({ store: stores.erasure, clock })

  const statusJobs = createStatusJobs({ store: stores.statusJobs, work: stores.statusWork, names, clock, newId })

  return {
    statistics,
    statusLists,
    walletTrust,
    images,
    schemas,
    ask,
    claimsSources,
    metadata,
    issuance,
    credentials,
    offerings,
    credentialOffers,
    offerBatches,
    erasure,
    statusJobs,
  }
}

export type Issuer = ReturnType<typeof wireIssuer>
