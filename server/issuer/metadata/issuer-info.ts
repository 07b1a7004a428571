import { X509Certificate } from 'node:crypto'
import type { AgentStore } from '../../agent/store.js'
import { type Config, ConfigurationError } from '../../config/config.js'
import type { KeyStore } from '../../keys/store.js'
import { keyInX5c } from '../../protocol/issuer-keys/certificate-chain.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { RegistrationCertificateError } from '../../protocol/registration-certificates/fault.js'
import {
  openRegistrationCertificate,
  type RegistrationCertificate,
  validityFault,
} from '../../protocol/registration-certificates/registration-certificate.js'
import { bindingFault } from '../../protocol/registration-certificates/subject.js'

/** Limit of registration certificates in the metadata. */
const MAX_REGISTRATIONS = 20

type IssuerInfoConfig = Pick<Config, 'issuerRegistrations' | 'issuerRegistrarDataset'>

/** An element of `issuer_info` (ETSI TS 119 472-3 §4.2.3). It has the form of `verifier_info` (OpenID4VP 1.0 §5.1). */
type IssuerInfo =
  | { readonly format: 'registration_cert'; readonly data: string }
  | { readonly format: 'registrar_dataset'; readonly data: JsonObject }

/** Only the signature is checked here. Wallets judge the registrar by their own lists. */
const open = (certificate: string): Promise<RegistrationCertificate> =>
  openRegistrationCertificate(certificate, (x5c) => ({ jwk: keyInX5c(x5c) }))

/**
 * The member `issuer_info` of the metadata, with the registration certificates that are valid at `now` and the registrar's data
 * set. The member is absent if there are none.
 */
export async function issuerInfoMember(
  { issuerRegistrations, issuerRegistrarDataset }: IssuerInfoConfig,
  now: Date,
): Promise<{ readonly issuer_info?: readonly IssuerInfo[] }> {
  const opened = await Promise.all(issuerRegistrations.map(async (data) => ({ data, ...(await open(data)) })))
  const info: IssuerInfo[] = [
    ...(issuerRegistrarDataset === undefined
      ? []
      : [{ format: 'registrar_dataset' as const, data: issuerRegistrarDataset }]),
    ...opened
      .filter(({ content }) => validityFault(content, now) === undefined)
      .map(({ data }) => ({ format: 'registration_cert' as const, data })),
  ]
  return info.length === 0 ? {} : { issuer_info: info }
}

const refusal = (reason: string) =>
  new ConfigurationError(`Invalid environment variables:\n- ISSUER_REGISTRATIONS ${reason}`)

/** Dependencies of {@link assertIssuerRegistrations}. */
export interface IssuerRegistrationsPorts {
  readonly config: IssuerInfoConfig
  readonly agents: Pick<AgentStore, 'defaultIssuer'>
  readonly keys: Pick<KeyStore, 'current'>
}

/**
 * Checks the certificates of ISSUER_REGISTRATIONS: signature, times, credentials to issue, and the subject of the certificate
 * that signs the metadata. It is called under the start lock, after the issuer has its certificate.
 *
 * @throws {ConfigurationError} if a certificate cannot be used now
 */
export async function assertIssuerRegistrations(
  { config, agents, keys }: IssuerRegistrationsPorts,
  now: Date,
): Promise<void> {
  const { issuerRegistrations } = config
  if (issuerRegistrations.length === 0) return
  if (issuerRegistrations.length > MAX_REGISTRATIONS)
    throw refusal(`must not hold more than ${MAX_REGISTRATIONS} certificates.`)
  const record = await agents.defaultIssuer()
  const [leaf] = (record === undefined ? undefined : await keys.current(record.keySetId))?.x5c ?? []
  if (leaf === undefined) throw refusal('needs ISSUER_X509 with a certificate for the same organization.')
  const access = new X509Certificate(Buffer.from(leaf, 'base64'))
  for (const [index, certificate] of issuerRegistrations.entries()) {
    const sentence = await faultOf(certificate, access, now)
    if (sentence !== undefined) throw refusal(`must hold usable certificates. Certificate ${index + 1}: ${sentence}`)
  }
}

async function faultOf(certificate: string, access: X509Certificate, now: Date): Promise<string | undefined> {
  try {
    const { content } = await open(certificate)
    const fault = validityFault(content, now) ?? bindingFault(content, access)
    if (fault !== undefined) return fault.sentence
    return content.providesAttestations.length === 0
      ? 'The registration certificate has no credentials that may be issued.'
      : undefined
  } catch (error) {
    if (error instanceof RegistrationCertificateError) return error.message
    throw error
  }
}
