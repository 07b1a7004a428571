import { signerChainOf } from '../agent/registrations/opened.js'
import type { RegistrationStore } from '../agent/registrations/store.js'
import type { Config } from '../config/config.js'
import type { KeyStore } from '../keys/store.js'
import { createExplain } from '../trust/explain.js'
import { createOwnRemoved, type OwnChain } from '../trust/own-certificates.js'
import { createPublishedLists } from '../trust/published/publication.js'
import { createRefresh } from '../trust/refresh.js'
import { createTrustLists } from '../trust/trust-lists.js'
import type { Platform } from './platform.js'

/** Limit of the own certificates that are compared with a new content of a list. */
const MAX_OWN = 1_000

interface OwnChainsPorts {
  readonly config: Pick<Config, 'walletProviderX509'>
  readonly keys: Pick<KeyStore, 'certifiedRecords'>
  readonly registrations: Pick<RegistrationStore, 'newest'>
}

/**
 * The certificate chains that this installation needs others to trust: of records, of the provider of hosted wallets, and of the
 * registrars of its registration certificates.
 */
const ownChains =
  ({ config: { walletProviderX509 }, keys, registrations }: OwnChainsPorts) =>
  async (): Promise<readonly OwnChain[]> => {
    const [records, registered] = await Promise.all([keys.certifiedRecords(MAX_OWN), registrations.newest(MAX_OWN)])
    const registrars = await Promise.all(
      registered.map(async ({ party, partyId, certificate }) => ({
        name: `the registrar of ${party} ${partyId}`,
        purpose: 'registrars' as const,
        x5c: await signerChainOf(certificate),
      })),
    )
    const provider = walletProviderX509?.chain.map(({ raw }) => raw.toString('base64'))
    return [
      ...records.flatMap(({ kind, id, x5c }): OwnChain[] =>
        kind === 'issuer'
          ? // The certificate of an issuer is also the access certificate that signs the metadata.
            [
              { name: `issuer ${id}`, purpose: 'credentials', x5c },
              { name: `issuer ${id}`, purpose: 'verifiers', x5c },
            ]
          : [{ name: `verifier ${id}`, purpose: 'verifiers', x5c }],
      ),
      ...registrars,
      ...(provider === undefined ? [] : [{ name: 'WALLET_PROVIDER_X509', purpose: 'wallets' as const, x5c: provider }]),
    ]
  }

/** Creates the features of trusted lists. The lists themselves belong to the platform, because verifications ask them. */
export function wireTrust(platform: Platform) {
  const { config, clock, log, metrics, newId, outbound, stores, trustLists: live, listReading: reading } = platform
  const trustRefresh = createRefresh({
    documents: stores.trustDocuments,
    live,
    outbound,
    reading,
    ownRemoved: createOwnRemoved({
      ownChains: ownChains({ config, keys: stores.keys, registrations: stores.registrations }),
    }),
    clock,
    random: Math.random,
    log,
    onOutcome: metrics.trustListRead,
  })
  const trustLists = createTrustLists({
    store: stores.trustLists,
    live,
    refresh: trustRefresh,
    outbound,
    config,
    clock,
    newId,
  })
  const trustExplain = createExplain({ config, live, clock, formats: platform.formats })
  const publishedLists = createPublishedLists({
    store: stores.publishedTrustLists,
    documentSigners: platform.documentSigners,
    config,
    clock,
    log,
  })
  return { trustRefresh, trustLists, trustExplain, publishedLists }
}
