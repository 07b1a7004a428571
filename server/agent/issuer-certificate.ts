import type { z } from 'zod'
import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import { keyIdOf } from '../dids/identity.js'
import type { Keys } from '../keys/keys.js'
import type { KeyStore, StoredKey } from '../keys/store.js'
import { authorityIn } from '../protocol/issuer-keys/authority.js'
import { subjectAlternativeNames } from '../protocol/issuer-keys/subject-alternative-name.js'
import { chainEnd } from '../protocol/openid4vp/client-identifier.js'
import type { zIssuerCertificate } from './agent.contract.js'
import { certificateRequestOf, type RequestedCertificate } from './certificate-request.js'
import { authorityChain, certifiedChain, ISSUER_CHAIN } from './certified-chain.js'
import { nameFault } from './certified-key.js'
import type { AgentStore, IssuerRecord, Signing } from './store.js'
import { certificatesOf, isFor } from './uploaded-chain.js'

const refusal = (reason: string) => errors.badRequest(`chain ${reason}`)

const FOR_ITS_KEY = 'must begin with a certificate for the key that signs for the issuer now'
/** The end of an error about the certificate of an authority. */
const AUTHORITY_HINT = ' unless signing is delegated'
const CHANGED_MEANWHILE = 'The key of the issuer or its certificate was changed meanwhile. Try again.'
const IN_FILE = 'ISSUER_X509 holds the certificate of the default issuer, and ISSUER_SIGNING says what its key signs'

/** Dependencies of {@link createIssuerCertificates}. */
export interface IssuerCertificatesPorts {
  readonly agents: Pick<AgentStore, 'issuer'>
  readonly store: Pick<KeyStore, 'certifyIssuer' | 'changeSigning' | 'current'>
  readonly keys: Pick<Keys, 'signer'>
  readonly config: Pick<Config, 'issuerBaseUrl'>
  readonly clock: () => Date
}

export type IssuerCertificates = ReturnType<typeof createIssuerCertificates>

/** The certificates of issuer records, and what their keys sign: every document, or certificates of document signers. */
export function createIssuerCertificates({ agents, store, keys, config, clock }: IssuerCertificatesPorts) {
  /** Returns an issuer that the caller may see, with its current signing key. */
  async function issuerOf(id: string, sub: string): Promise<{ record: IssuerRecord; key: StoredKey }> {
    const record = await agents.issuer(id, sub)
    if (record === undefined) throw errors.issuerNotFound()
    const key = await store.current(record.keySetId)
    if (key === undefined) throw new Error(`Issuer ${id} has no key.`)
    return { record, key }
  }

  return {
    /** Makes a certification request for an issuer's current signing key. @throws 500 for an unknown issuer. */
    async request(
      {
        id,
        signing,
        ...requested
      }: RequestedCertificate & { readonly id: string; readonly signing?: Signing | undefined },
      sub: string,
    ): Promise<{ certificateRequest: string }> {
      const { record, key } = await issuerOf(id, sub)
      const signer = await keys.signer(key.id, keyIdOf(record.did, key.publicJwk))
      const authority = (signing ?? record.signing) === 'delegated'
      const content = { ...requested, authority }
      return { certificateRequest: await certificateRequestOf(record, key, signer, config.issuerBaseUrl, content) }
    },

    /**
     * Stores the chain that an authority made from a certification request, and what the key signs with it. The next document
     * carries the new chain. A document signer below a former certificate signs nothing more.
     *
     * @param chain PEM, the leaf first
     * @throws 400 with the failed check, and for the default issuer; 500 for an unknown issuer.
     */
    async take(
      {
        id,
        chain: pem,
        signing: wanted,
      }: { readonly id: string; readonly chain: string; readonly signing?: Signing | undefined },
      sub: string,
    ): Promise<z.input<typeof zIssuerCertificate>> {
      const { record, key } = await issuerOf(id, sub)
      if (record.isDefault) throw errors.badRequest(IN_FILE)
      const signing = wanted ?? record.signing
      const certificates = certificatesOf(pem, refusal)
      const [leaf] = certificates
      if (leaf === undefined || !isFor(key, leaf)) throw refusal(FOR_ITS_KEY)
      const delegated = signing === 'delegated'
      const x5c = delegated
        ? authorityChain(certificates, ISSUER_CHAIN, refusal, clock())
        : certifiedChain(certificates, { ...ISSUER_CHAIN, authorityHint: AUTHORITY_HINT }, refusal, clock())
      // Document signers name the issuer themselves.
      const fault = delegated ? undefined : nameFault(leaf, config.issuerBaseUrl)
      if (fault !== undefined) throw refusal(fault)
      const done = await store.certifyIssuer({ keyId: key.id, x5c, issuerId: id, signing, actor: sub })
      if (!done) throw refusal(FOR_ITS_KEY)
      const { dns, uri } = subjectAlternativeNames(leaf)
      return { signing, names: [...dns, ...uri], expiresAt: chainEnd(x5c).toISOString() }
    },

    /**
     * Changes what the key of an issuer signs, if its certificate allows both.
     *
     * @throws 400 for the default issuer; 409 if the certificate of the key is of the other kind, or if the key or its certificate
     *   changes meanwhile; 500 for an unknown issuer.
     */
    async change(
      { id, signing }: { readonly id: string; readonly signing: Signing },
      sub: string,
    ): Promise<IssuerRecord> {
      const { record, key } = await issuerOf(id, sub)
      if (record.isDefault) throw errors.badRequest(IN_FILE)
      const isAuthority = authorityIn(key.x5c) !== undefined
      if (key.x5c !== null && isAuthority !== (signing === 'delegated'))
        throw errors.signingUnfit(
          isAuthority
            ? 'The key of the issuer has the certificate of an authority. Send the certificate of a signer with signing every.'
            : 'The key of the issuer has the certificate of a signer. Send the certificate of an authority with signing delegated.',
        )
      const done = await store.changeSigning({ keyId: key.id, x5c: key.x5c, issuerId: id, signing, actor: sub })
      if (!done) throw errors.signingUnfit(CHANGED_MEANWHILE)
      return { ...record, signing }
    },
  }
}
