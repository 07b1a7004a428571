import type { z } from 'zod'
import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import type { Lists } from '../database/replica/lists.js'
import type { Identify, SigningAlgorithm } from '../dids/identity.js'
import { type AcceptDisplay, whileImagesStay } from '../images/accept-display.js'
import { shownDisplay } from '../images/shown-display.js'
import { DATABASE, type KeyProviders } from '../keys/providers/providers.js'
import { LEAST_CONTRAST, lowContrast } from '../protocol/colour.js'
import type { zAgentRecord, zDisplayEntry, zIssuerRecord } from './agent.contract.js'
import type { Branding } from './branding.js'
import { assertKeyPlace } from './key-place.js'
import type { AgentRecord, AgentStore, IssuerRecord, NewAgentRecord, Signing } from './store.js'

export interface RecordRequest {
  readonly method: 'key' | 'web'
  /** The key provider that makes and keeps the key, or `database` (the default). */
  readonly keyProvider?: string | undefined
  readonly algorithm?: SigningAlgorithm | undefined
  readonly display?: readonly z.output<typeof zDisplayEntry>[] | undefined
  readonly branding?: Branding | undefined
}

/** The members of a record that people see. */
type Face = Pick<AgentRecord, 'display' | 'branding'>

/**
 * The members of an answer with what people see of a record. Images have their public addresses.
 *
 * @param baseUrl the base URL of the record's half of the service
 */
export function shownFace({ display, branding }: Face, baseUrl: string) {
  const contrast = lowContrast({ background_color: branding?.backgroundColor, text_color: branding?.textColor })
  return {
    display: display.map((entry) => shownDisplay(entry, baseUrl)),
    ...(branding === null ? {} : { branding: { ...branding } }),
    ...(contrast === undefined
      ? {}
      : {
          warnings: [
            `branding.textColor has a contrast of ${contrast} to backgroundColor: it should be at least ${LEAST_CONTRAST}`,
          ],
        }),
  }
}

/** The record as the API shows it. */
const shownRecord = (record: AgentRecord, baseUrl: string): z.input<typeof zAgentRecord> => ({
  id: record.id,
  did: record.did,
  method: record.method as 'key' | 'web',
  ...shownFace(record, baseUrl),
  isDefault: record.isDefault,
  createdAt: record.createdAt.toISOString(),
})

/** Dependencies of {@link createRecords}. */
export interface RecordsPorts {
  readonly store: Pick<AgentStore, 'insertIssuer' | 'insertVerifier' | 'issuer' | 'verifier'>
  readonly lists: Lists<Pick<AgentStore, 'issuers' | 'verifiers'>>
  readonly config: Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>
  readonly newId: () => string
  /** Makes a key pair and its DIDs. */
  readonly identify: Identify
  readonly keyProviders: Pick<KeyProviders, 'algorithms' | 'names'>
  readonly acceptDisplay: AcceptDisplay
}

export type Records = ReturnType<typeof createRecords>

/** The issuer and verifier records of this installation, each with its own signing key. */
export function createRecords({ store, lists, config, newId, identify, keyProviders, acceptDisplay }: RecordsPorts) {
  /** @throws as {@link assertKeyPlace} */
  async function placeOf({ keyProvider = DATABASE, algorithm: alg }: RecordRequest) {
    await assertKeyPlace(keyProviders, { provider: keyProvider, algorithm: alg ?? 'ES256' }, 'keyProvider')
    return { alg, provider: keyProvider === DATABASE ? undefined : keyProvider }
  }

  /** Makes the key pair, the DIDs, the stored members and the audit records of a new record. */
  async function prepared(kind: 'issuer' | 'verifier', request: RecordRequest, sub: string) {
    const place = await placeOf(request)
    const { entries: display, imageIds } = await acceptDisplay(request.display ?? [])
    const identity = await identify({
      ...place,
      method: request.method,
      purpose: kind,
      createdBy: sub,
      baseUrl: kind === 'issuer' ? config.issuerBaseUrl : config.verifierBaseUrl,
    })
    const record: NewAgentRecord = {
      id: newId(),
      method: request.method,
      display,
      branding: request.branding,
      imageIds,
      isDefault: false,
      createdBy: sub,
    }
    const audit = [
      { actor: sub, action: `${kind}.created`, subject: kind, subjectId: record.id },
      { actor: sub, action: 'key.created', subject: 'key', subjectId: identity.key.id },
    ] as const
    return { record, identity, audit }
  }

  return {
    lists,

    /** An issuer record as the API shows it. */
    shownIssuer: (record: IssuerRecord): z.input<typeof zIssuerRecord> => ({
      ...shownRecord(record, config.issuerBaseUrl),
      signing: record.signing,
    }),

    /** A verifier record as the API shows it. */
    shownVerifier: (record: AgentRecord) => shownRecord(record, config.verifierBaseUrl),

    /**
     * Creates an issuer record with a new key pair and a new DID.
     *
     * @throws 400 for an image that is not stored, an unknown key provider, or an algorithm that the provider does not have; 503 if the
     *   provider cannot make a key now
     */
    async createIssuer(
      { signing, ...request }: RecordRequest & { readonly signing?: Signing | undefined },
      sub: string,
    ): Promise<IssuerRecord> {
      const { record, identity, audit } = await prepared('issuer', request, sub)
      return whileImagesStay(() => store.insertIssuer({ ...record, signing }, identity, audit))
    },

    /** Creates a verifier record. @throws the same errors as `createIssuer` */
    async createVerifier(request: RecordRequest, sub: string): Promise<AgentRecord> {
      const { record, identity, audit } = await prepared('verifier', request, sub)
      return whileImagesStay(() => store.insertVerifier(record, identity, audit))
    },

    /** @throws 500 for an unknown record and for a record of another caller. */
    async issuer(id: string, sub: string): Promise<IssuerRecord> {
      const record = await store.issuer(id, sub)
      if (record === undefined) throw errors.issuerNotFound()
      return record
    },

    /** @throws 500 for an unknown record and for a record of another caller. */
    async verifier(id: string, sub: string): Promise<AgentRecord> {
      const record = await store.verifier(id, sub)
      if (record === undefined) throw errors.verifierNotFound()
      return record
    },
  }
}
