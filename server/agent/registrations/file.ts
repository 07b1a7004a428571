import { type Config, ConfigurationError } from '../../config/config.js'
import type { KeyStore } from '../../keys/store.js'
import { RegistrationCertificateError } from '../../protocol/registration-certificates/fault.js'
import type { SignerKind } from '../signers/store.js'
import type { AgentStore } from '../store.js'
import { checkedRegistration, newRegistration } from './registrations.js'
import { MAX_REGISTRATIONS, type NewRegistration, type RegistrationStore } from './store.js'

/** Dependencies of {@link ensureRegistrations}. */
export interface RegistrationFilePorts {
  readonly config: Pick<Config, 'issuerRegistrations' | 'verifierRegistrations' | 'registrarTrustAnchors'>
  readonly agents: Pick<AgentStore, 'defaultIssuer' | 'defaultVerifier'>
  readonly keys: Pick<KeyStore, 'current'>
  readonly registrations: Pick<RegistrationStore, 'replaceFile'>
  readonly newId: () => string
}

/** What differs between the files of both kinds of records. */
const FILES = {
  issuer: {
    variable: 'ISSUER_REGISTRATIONS',
    needs: 'needs ISSUER_X509 with a certificate for the same organization.',
    of: ({ issuerRegistrations }: RegistrationFilePorts['config']) => issuerRegistrations,
    record: (agents: RegistrationFilePorts['agents']) => agents.defaultIssuer(),
  },
  verifier: {
    variable: 'VERIFIER_REGISTRATIONS',
    needs: 'needs VERIFIER_X509 with the access certificate.',
    of: ({ verifierRegistrations }: RegistrationFilePorts['config']) => verifierRegistrations,
    record: (agents: RegistrationFilePorts['agents']) => agents.defaultVerifier(),
  },
} as const

/**
 * Gives the certificates in ISSUER_REGISTRATIONS to the default issuer, and the certificates in VERIFIER_REGISTRATIONS to the default
 * verifier. It is called under the start lock, after the record has its access certificate. Trusted lists are not in memory yet, so
 * the maintenance job judges signers by them.
 *
 * @throws {ConfigurationError} if a certificate cannot be used now
 */
export async function ensureRegistrations(
  kind: SignerKind,
  { config, agents, keys, registrations, newId }: RegistrationFilePorts,
  now: Date,
): Promise<void> {
  const { variable, needs, of, record: recordOf } = FILES[kind]
  const refusal = (reason: string) => new ConfigurationError(`Invalid environment variables:\n- ${variable} ${reason}`)
  const record = await recordOf(agents)
  if (record === undefined) return
  const certificates = of(config)
  if (certificates.length > MAX_REGISTRATIONS)
    throw refusal(`must not hold more than ${MAX_REGISTRATIONS} certificates.`)
  const x5c = (await keys.current(record.keySetId))?.x5c ?? null
  if (certificates.length > 0 && x5c === null) throw refusal(needs)
  const rows: NewRegistration[] = []
  for (const [index, certificate] of certificates.entries()) {
    const refuse = (sentence: string) => refusal(`must hold usable certificates. Certificate ${index + 1}: ${sentence}`)
    try {
      const opened = await checkedRegistration({ kind, certificate, x5c }, { config, now, refuse })
      rows.push(newRegistration({ id: newId(), owner: { kind, id: record.id }, certificate }, opened, now))
    } catch (error) {
      if (!(error instanceof RegistrationCertificateError)) throw error
      throw refuse(error.message)
    }
  }
  await registrations.replaceFile({ kind, id: record.id }, rows)
}
