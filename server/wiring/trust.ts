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

/** The certificate chains of this installation: of records, and of the provider of hosted wallets. */
const ownChains =
  ({ walletProviderX509 }: Pick<Config, 'walletProviderX509'>, keys: Pick<KeyStore, 'certifiedRecords'>) =>
  async (): Promise<readonly OwnChain[]> => {
    const records = await keys.certifiedRecords(MAX_OWN)
    const provider = walletProviderX509?.chain.map(({ raw }) => raw.toString('base64'))
    return [
      ...records.map(({ kind, id, x5c }) =>
        kind === 'issuer'
          ? { name: `issuer ${id}`, purpose: 'credentials' as const, x5c }
          : { name: `verifier ${id}`, purpose: 'verifiers' as const, x5c },
      ),
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
    ownRemoved: createOwnRemoved({ ownChains: ownChains(config, stores.keys), live: live.all }),
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
