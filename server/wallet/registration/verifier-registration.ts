import type { Formats } from '../../formats/registry.js'
import { isObject, type JsonObject } from '../../protocol/json/json-object.js'
import type { CredentialQuery } from '../../protocol/openid4vp/dcql/credential-query.js'
import { beyond } from '../../protocol/registration-certificates/beyond.js'
import type { ReceivedRequest } from '../openid4vp/receive-request.js'
import {
  answering,
  type CheckCertificates,
  registrationOf,
  sentCertificates,
  UNREGISTERED,
  type ValidCertificate,
} from './certificates.js'
import type { PartyRegistration } from './registration.contract.js'

/** Prefixes whose requests are signed with an access certificate (OpenID4VP 1.0 §5.9.3). */
const CERTIFIED: ReadonlySet<string> = new Set(['x509_hash', 'x509_san_dns'])

const texts = (value: unknown): readonly string[] | null =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : null

/** The members of a checked query that decide what it asks for. */
const queriesIn = (query: JsonObject): readonly CredentialQuery[] =>
  (Array.isArray(query.credentials) ? query.credentials : []).filter(isObject).map((each) => ({
    ...(each as CredentialQuery),
    meta: isObject(each.meta) ? each.meta : {},
  }))

/** Dependencies of {@link createVerifierRegistration}. */
export interface VerifierRegistrationPorts {
  readonly check: CheckCertificates
  readonly formats: Pick<Formats, 'known'>
}

/**
 * Judges the registration of an authenticated verifier (ETSI TS 119 472-2 §6.3.2.2; TS 119 475): its certificates in
 * `verifier_info`, and what its query asks for beyond them.
 *
 * @param prefix the client identifier prefix that authenticated the verifier
 */
export type VerifierRegistration = ReturnType<typeof createVerifierRegistration>

/** Creates {@link VerifierRegistration} from its dependencies. */
export function createVerifierRegistration({ check, formats }: VerifierRegistrationPorts) {
  const disclosesAll = (format: string): boolean => formats.known(format)?.querying.disclosesAll ?? true

  /** What one credential query asks for beyond the certificate that covers most of it. */
  const beyondOf = (query: CredentialQuery, certificates: readonly ValidCertificate[]): readonly string[] => {
    const [nearest] = certificates
      .filter(({ credentialIds }) => credentialIds === undefined || credentialIds.includes(query.id))
      .map(({ content }) => beyond(content, { credentials: [query] }, disclosesAll))
      .toSorted((a, b) => a.length - b.length)
    if (nearest === undefined) return [`credential ${query.id} has no registration certificate`]
    return nearest.map(({ sentence }) => sentence)
  }

  return ({ parameters, signed }: ReceivedRequest, prefix: string, query: JsonObject): Promise<PartyRegistration> =>
    answering(async () => {
      const sent = sentCertificates(parameters.verifier_info)
      if (sent.length === 0) return UNREGISTERED
      // For other prefixes nobody has verified the chain.
      const x5c = CERTIFIED.has(prefix) ? texts(signed?.header.x5c) : null
      const certificates = await check(sent, x5c)
      const sentences = queriesIn(query).flatMap((each) => beyondOf(each, certificates))
      return registrationOf(certificates, 'credentials', sentences)
    })
}
