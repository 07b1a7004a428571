import { type Config, ConfigurationError } from '../../config/config.js'
import type { KeyStore } from '../../keys/store.js'
import { RegistrationCertificateError } from '../../protocol/registration-certificates/fault.js'
import type { AgentStore } from '../store.js'
import { checkedRegistration, newRegistration } from './registrations.js'
import { MAX_REGISTRATIONS, type NewRegistration, type RegistrationStore } from './store.js'

/** Dependencies of {@link ensureRegistrations}. */
export interface RegistrationFilePorts {
  readonly config: Pick<Config, 'verifierRegistrations' | 'registrarTrustAnchors'>
  readonly agents: Pick<AgentStore, 'defaultVerifier'>
  readonly keys: Pick<KeyStore, 'current'>
  readonly registrations: Pick<RegistrationStore, 'replaceFile'>
  readonly newId: () => string
}

const refusal = (reason: string) =>
  new ConfigurationError(`Invalid environment variables:\n- VERIFIER_REGISTRATIONS ${reason}`)

/**
 * Gives the certificates in VERIFIER_REGISTRATIONS to the default verifier. It is called under the start lock, after the
 * verifier has its access certificate. Trusted lists are not in memory yet, so the maintenance job judges signers by them.
 *
 * @throws {ConfigurationError} if a certificate cannot be used now
 */
export async function ensureRegistrations(
  { config, agents, keys, registrations, newId }: RegistrationFilePorts,
  now: Date,
): Promise<void> {
  const record = await agents.defaultVerifier()
  if (record === undefined) return
  const certificates = config.verifierRegistrations
  if (certificates.length > MAX_REGISTRATIONS)
    throw refusal(`must not hold more than ${MAX_REGISTRATIONS} certificates.`)
  const x5c = (await keys.current(record.keySetId))?.x5c ?? null
  if (certificates.length > 0 && x5c === null) throw refusal('needs VERIFIER_X509 with the access certificate.')
  const rows: NewRegistration[] = []
  for (const [index, certificate] of certificates.entries()) {
    const refuse = (sentence: string) => refusal(`must hold usable certificates. Certificate ${index + 1}: ${sentence}`)
    try {
      const opened = await checkedRegistration({ certificate, x5c }, { config, now, refuse })
      rows.push(newRegistration({ id: newId(), verifierId: record.id, certificate }, opened, now))
    } catch (error) {
      if (!(error instanceof RegistrationCertificateError)) throw error
      throw refuse(error.message)
    }
  }
  await registrations.replaceFile(record.id, rows)
}
