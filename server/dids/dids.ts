import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import { documentOf } from './documents.js'
import type { DomainLinkage, DomainLinkages } from './domain-linkage.js'
import { type Identify, type IdentityRequest, keyIdOf } from './identity.js'
import type { DidStore, StoredDid } from './store.js'

/** What {@link createDids} is made of. */
export interface DidsPorts {
  readonly store: Pick<DidStore, 'find' | 'findByUuid' | 'insert' | 'issuerDids' | 'recordIdentities'>
  readonly config: Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>
  readonly link: DomainLinkages
  /** Makes a key pair and its DIDs. */
  readonly identify: Identify
}

export type Dids = ReturnType<typeof createDids>

/** The DIDs and keys of this installation, and what it publishes of them. */
export function createDids({ store, config, link, identify }: DidsPorts) {
  return {
    /** Makes a DID under the issuer's base URL, with a key of its own, and stores both. `createdBy` is the actor of the audit events too. */
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
