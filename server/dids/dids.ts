import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import { documentOf } from './documents.js'
import type { DomainLinkage, DomainLinkages } from './domain-linkage.js'
import { type Identify, type IdentityRequest, keyIdOf } from './identity.js'
import type { DidStore, StoredDid } from './store.js'

/** The ports of {@link createDids}. */
export interface DidsPorts {
  readonly store: Pick<DidStore, 'find' | 'findByUuid' | 'insert' | 'issuerDids' | 'recordIdentities'>
  readonly config: Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>
  readonly link: DomainLinkages
  /** Makes a key pair and its DIDs. */
  readonly identify: Identify
}

export type Dids = ReturnType<typeof createDids>

/** The DIDs of this installation and the documents that it publishes about them. */
export function createDids({ store, config, link, identify }: DidsPorts) {
  return {
    /**
     * Creates and stores a DID with a new key. A did:web is created below the issuer's base URL. `createdBy` is also
     * the actor of the audit events.
     */
    async create(request: Omit<IdentityRequest, 'baseUrl'> & { readonly createdBy: string }): Promise<StoredDid> {
      const { did, dids, key, keySetId } = await identify({ ...request, baseUrl: config.issuerBaseUrl })
      await store.insert(keySetId, key, dids, [
        { actor: request.createdBy, action: 'did.created', subject: 'did', subjectId: did },
        { actor: request.createdBy, action: 'key.created', subject: 'key', subjectId: key.id },
      ])
      const stored = await store.find(did)
      if (stored === undefined) throw new Error('A DID was not stored.')
      return stored
    },

    /** @throws 404 if no hosted DID document has this UUID. */
    async hosted(uuid: string) {
      const stored = await store.findByUuid(uuid)
      if (stored === undefined) throw errors.didDocumentNotFound()
      return { ...documentOf(stored, config) }
    },

    /**
     * Makes a Domain Linkage Credential for each DID with which an issuer or verifier signs (DIF Well Known DID
     * Configuration §4).
     */
    linkages: async (): Promise<DomainLinkage[]> => link(await store.recordIdentities()),

    /**
     * JWT VC issuer metadata (SD-JWT VC §3.2): all current and former keys of all issuer records. Former keys are
     * included, because their signatures must stay verifiable. Each `kid` is the absolute id of its key, as in
     * credentials.
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
