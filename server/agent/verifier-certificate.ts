import type { z } from 'zod'
import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import { keyIdOf } from '../dids/identity.js'
import type { Keys } from '../keys/keys.js'
import type { KeyStore, StoredKey } from '../keys/store.js'
import { subjectAlternativeNames } from '../protocol/issuer-keys/subject-alternative-name.js'
import { chainEnd, hashIdentifier } from '../protocol/openid4vp/client-identifier.js'
import type { zVerifierCertificate } from './agent.contract.js'
import { certificateRequestOf, type RequestedCertificate } from './certificate-request.js'
import { certifiedChain, REQUEST_CHAIN } from './certified-chain.js'
import type { AgentRecord, AgentStore } from './store.js'
import { certificatesOf, isFor } from './uploaded-chain.js'

const refusal = (reason: string) => errors.badRequest(`chain ${reason}`)

const FOR_ITS_KEY = 'must begin with a certificate for the key that signs for the verifier now'

/** Dependencies of {@link createVerifierCertificates}. */
export interface VerifierCertificatesPorts {
  readonly agents: Pick<AgentStore, 'verifier'>
  readonly store: Pick<KeyStore, 'certify' | 'current'>
  readonly keys: Pick<Keys, 'signer'>
  readonly config: Pick<Config, 'verifierBaseUrl'>
  readonly clock: () => Date
}

export type VerifierCertificates = ReturnType<typeof createVerifierCertificates>

/** The certificates of verifier records. A verifier with a certificate uses it as its client identifier. */
export function createVerifierCertificates({ agents, store, keys, config, clock }: VerifierCertificatesPorts) {
  /** Returns a verifier that the caller may see, with its current signing key. */
  async function verifierOf(id: string, sub: string): Promise<{ record: AgentRecord; key: StoredKey }> {
    const record = await agents.verifier(id, sub)
    if (record === undefined) throw errors.verifierNotFound()
    const key = await store.current(record.keySetId)
    if (key === undefined) throw new Error(`Verifier ${id} has no key.`)
    return { record, key }
  }

  return {
    /** Makes a certification request for a verifier's current signing key. @throws 500 for an unknown verifier. */
    async request(
      { id, ...requested }: RequestedCertificate & { readonly id: string },
      sub: string,
    ): Promise<{ certificateRequest: string }> {
      const { record, key } = await verifierOf(id, sub)
      const signer = await keys.signer(key.id, keyIdOf(record.did, key.publicJwk))
      return { certificateRequest: await certificateRequestOf(record, key, signer, config.verifierBaseUrl, requested) }
    },

    /**
     * Stores the chain that an authority made from a certification request. After this, the certificate is the
     * verifier's client identifier, unless a request chooses a different identifier.
     *
     * @param chain PEM, the leaf first
     * @throws 400 with the failed check, and for the default verifier, whose certificate is in VERIFIER_X509; 500 for an unknown
     *   verifier.
     */
    async take(
      { id, chain: pem }: { readonly id: string; readonly chain: string },
      sub: string,
    ): Promise<z.input<typeof zVerifierCertificate>> {
      const { record, key } = await verifierOf(id, sub)
      if (record.isDefault) throw errors.badRequest('VERIFIER_X509 holds the certificate of the default verifier')
      const certificates = certificatesOf(pem, refusal)
      const [leaf] = certificates
      if (leaf === undefined || !isFor(key, leaf)) throw refusal(FOR_ITS_KEY)
      const x5c = certifiedChain(certificates, REQUEST_CHAIN, refusal, clock())
      if (!(await store.certify(key.id, x5c, sub))) throw refusal(FOR_ITS_KEY)
      return {
        clientId: hashIdentifier(leaf.raw.toString('base64')),
        dnsNames: subjectAlternativeNames(leaf).dns,
        expiresAt: chainEnd(x5c).toISOString(),
      }
    },
  }
}
