import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import { documentOf } from './documents.js'
import type { DomainLinkage, DomainLinkages } from './domain-linkage.js'
import { keyIdOf } from './identity.js'
import type { DidStore } from './store.js'

/** What {@link createDids} is made of. */
export interface DidsPorts {
  readonly store: Pick<DidStore, 'findByUuid' | 'issuerDids' | 'recordIdentities'>
  readonly config: Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>
  readonly link: DomainLinkages
}

export type Dids = ReturnType<typeof createDids>

/** What this installation publishes of its DIDs and keys. */
export function createDids({ store, config, link }: DidsPorts) {
  return {
    /** @throws 404 for a UUID without a hosted DID document. */
    async hosted(uuid: string) {
      const stored = await store.findByUuid(uuid)
      if (stored === undefined) throw errors.didDocumentNotFound()
      return { ...documentOf(stored, config) }
    },

    /** A Domain Linkage Credential for each DID that a record signs with (DIF Well Known DID Configuration §4). */
    linkages: async (): Promise<DomainLinkage[]> => link(await store.recordIdentities()),

    /**
     * JWT VC issuer metadata (SD-JWT VC §3.2): every key of every issuer record, since the signatures of a former key must stay
     * verifiable. A `kid` is the absolute one that stands in credentials.
     */
    async issuerKeySet() {
      const dids = await store.issuerDids()
      const keys = dids.flatMap((stored) =>
        stored.keys.map(({ publicJwk }) => ({ ...publicJwk, kid: keyIdOf(stored.did, publicJwk), use: 'sig' })),
      )
      return { issuer: config.issuerBaseUrl, jwks: { keys } }
    },
  }
}
