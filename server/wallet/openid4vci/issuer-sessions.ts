import type { CredentialOfferObject } from '@openid4vc/openid4vci'
import type { Config } from '../../config/config.js'
import type { Outbound } from '../../outbound/guard.js'
import type { Signer } from '../../protocol/jose/jws.js'
import { boundedFetch } from '../exchange/bounded-fetch.js'
import { admitHttp } from '../exchange/libraries.js'
import { fetchingAnswers } from './answer-size.js'
import type { Deferral } from './deferral.js'
import type { Issuance, Session } from './issuance.js'
import { createClientFor } from './issuance-client.js'
import { createIssuerMetadata } from './issuer-metadata.js'
import type { OwnMetadata } from './metadata-documents.js'
import type { WalletClient } from './wallet-client.js'
import { newSessionKey } from './wallet-keys.js'

/** Time limit for all deferred credentials of one offer: shorter than for an exchange that a person waits for. */
const RESUMED_MS = 10_000

/** Dependencies of {@link createIssuerSessions}. */
export interface IssuerSessionsPorts extends Pick<OwnMetadata, 'ownMetadata'> {
  readonly wallet: Pick<WalletClient, 'authentication' | 'hasProvider'>
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly config: Pick<Config, 'allowInsecureHttp' | 'issuerBaseUrl'>
  readonly random: (length: number) => Uint8Array
}

export type IssuerSessions = ReturnType<typeof createIssuerSessions>

/**
 * Exchanges with issuers. Each exchange has its own client, the issuer's metadata, and keys that no other exchange
 * uses.
 */
export function createIssuerSessions({ wallet, outbound, config, ownMetadata, random }: IssuerSessionsPorts) {
  admitHttp(config)
  const clientFor = createClientFor({ wallet, random })
  const metadataOf = createIssuerMetadata({ clientFor, config, ownMetadata })

  return {
    clientFor,
    metadataOf,

    /**
     * Begins the issuance of an offer.
     *
     * @throws WalletError if the issuer requires a feature that this wallet does not support.
     */
    async begin(offer: CredentialOfferObject, txCode: string | undefined): Promise<Issuance> {
      const fetch = boundedFetch(outbound.fetch)
      const dpopKey = await newSessionKey()
      const instanceKey = wallet.hasProvider ? await newSessionKey() : undefined
      const client = clientFor({ fetch, signers: [dpopKey.signer], instanceKey })
      const metadata = await metadataOf(fetch, offer.credential_issuer, offer.credential_configuration_ids)
      return { ...client, fetch, offer, metadata, dpopKey, instanceKey, copies: 1, txCode }
    },

    /** The same session with further keys that it may sign with, one for each copy that it requests. */
    signing<S extends Session>(session: S, signers: readonly Signer[]): S {
      const { dpopKey, instanceKey } = session
      const copies = signers.length
      const fetch = fetchingAnswers(session.fetch, session.metadata, copies)
      return { ...session, copies, ...clientFor({ fetch, signers: [...signers, dpopKey.signer], instanceKey }) }
    },

    /** Resumes a session with its original keys, for credentials that the issuer deferred. */
    async resume({ credentialIssuer, dpopKey, instanceKey, grant, transactions }: Deferral): Promise<Session> {
      const fetch = boundedFetch(outbound.fetch, RESUMED_MS)
      const anonymous = grant.clientId === undefined
      const copies = Math.max(...transactions.map(({ keys }) => keys.length))
      const deferred = transactions.map(({ expected }) => expected.configurationId)
      const metadata = await metadataOf(fetch, credentialIssuer, deferred)
      const answers = fetchingAnswers(fetch, metadata, copies)
      const client = clientFor({ fetch: answers, signers: [dpopKey.signer], instanceKey, anonymous })
      return { ...client, fetch, metadata, dpopKey, instanceKey, copies }
    },
  }
}
