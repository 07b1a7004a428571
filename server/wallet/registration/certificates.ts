import type { Look } from '../../agent/registrations/look.js'
import { judgeOf, leafOf, type RegistrarTrust, signerChainOf } from '../../agent/registrations/opened.js'
import { type UntrustedSigner, untrustedSigner } from '../../protocol/credential/untrusted-signer.js'
import { isAnchored } from '../../protocol/issuer-keys/trusted-chain.js'
import { decodeBase64url } from '../../protocol/jose/base64url.js'
import { isObject } from '../../protocol/json/json-object.js'
import type { RegisteredCredential, RegistrationContent } from '../../protocol/registration-certificates/content.js'
import { RegistrationCertificateError } from '../../protocol/registration-certificates/fault.js'
import {
  openRegistrationCertificate,
  type RegistrationSigner,
  validityFault,
} from '../../protocol/registration-certificates/registration-certificate.js'
import { bindingFault } from '../../protocol/registration-certificates/subject.js'
import type { PartyRegistration } from './registration.contract.js'

const FORMAT = 'registration_cert'
/** Limit of registration certificates of one party. Each costs a signature and a status list. */
const MAX_CERTIFICATES = 5
/** Limit of elements of `verifier_info` or `issuer_info` that are looked at. */
const MAX_ELEMENTS = 100

/** A registration certificate as a party sent it, and the queries that it is for; undefined for all of them. */
export interface SentCertificate {
  readonly text: string
  readonly credentialIds: readonly string[] | undefined
}

/** A registration certificate after every check. */
export interface ValidCertificate extends SentCertificate {
  readonly content: RegistrationContent
  /** The name of the registrar; undefined if neither its list nor its certificate has one. */
  readonly registrar: string | undefined
}

/** Attributes of a subject that name an organization, the best first. */
const NAMING = ['O', 'CN'] as const

/** The name of a registrar: as its list names it, or else as its certificate names it. */
function registrarOf({ listed, leaf }: RegistrationSigner): string | undefined {
  if (listed?.name !== undefined) return listed.name
  const lines = leaf?.subject.split('\n') ?? []
  const named = NAMING.flatMap(
    (name) => lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? [],
  )
  return named[0]
}

/** A registration certificate that fails a check. The message is a sentence about it. */
export class InvalidRegistrationError extends Error {
  constructor(
    message: string,
    /** The certificates of a signer that is not trusted, if that is the reason. */
    readonly signer?: UntrustedSigner,
  ) {
    super(message)
  }
}

const invalid = (sentence: string) => new InvalidRegistrationError(sentence)

/** The refusal of a registration certificate, with the certificates of its signer if the signer is not trusted. */
async function refused(text: string, { check, message }: RegistrationCertificateError): Promise<Error> {
  if (check !== 'signer') return invalid(message)
  // A certificate whose signature is wrong has no signer to explain.
  const x5c = await signerChainOf(text).catch(() => undefined)
  return new InvalidRegistrationError(message, untrustedSigner('registrars', x5c))
}

const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/**
 * The certificate in `data`. ETSI TS 119 472-2 §6.3.2.2 wants the base64url of the certificate. Many programs send a compact
 * JWS as it is.
 */
function textOf(data: unknown): string {
  if (typeof data !== 'string') throw invalid('The data of a registration certificate must be a text.')
  if (data.includes('.')) return data
  const decoded = Buffer.from(decodeBase64url(data) ?? []).toString('latin1')
  return COMPACT_JWS.test(decoded) ? decoded : data
}

function idsOf(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.every((id) => typeof id === 'string')) return value
  throw invalid('credential_ids of a registration certificate must be an array of texts.')
}

/**
 * The registration certificates in `verifier_info` (OpenID4VP 1.0 §5.1) or `issuer_info` (ETSI TS 119 472-3 §4.2.3). Elements of
 * other formats are ignored.
 *
 * @throws InvalidRegistrationError
 */
export function sentCertificates(info: unknown): readonly SentCertificate[] {
  if (!Array.isArray(info)) return []
  const certificates = info.slice(0, MAX_ELEMENTS).filter((element) => isObject(element) && element.format === FORMAT)
  if (certificates.length > MAX_CERTIFICATES || info.length > MAX_ELEMENTS)
    throw invalid(`There are more than ${MAX_CERTIFICATES} registration certificates.`)
  return certificates.map(({ data, credential_ids: ids }) => ({ text: textOf(data), credentialIds: idsOf(ids) }))
}

/** Dependencies of {@link createCheckCertificates}. */
export interface CheckCertificatesPorts {
  readonly config: RegistrarTrust
  /** Judges the signer, and reads the status list. */
  readonly look: Look
  readonly clock: () => Date
}

/**
 * Checks registration certificates: signer, signature, times, the access certificate, and the status list. Without roots and
 * lists of registrars, no certificate is valid.
 *
 * @param x5c the chain of the access certificate that signed the request or the metadata; null if none signed
 * @throws InvalidRegistrationError for the first certificate that fails a check
 */
export type CheckCertificates = ReturnType<typeof createCheckCertificates>

/** Creates {@link CheckCertificates} from its dependencies. */
export function createCheckCertificates({ config, look, clock }: CheckCertificatesPorts) {
  const checked = async (
    sent: SentCertificate,
    x5c: readonly string[] | null,
    now: Date,
  ): Promise<ValidCertificate> => {
    const { content, signer } = await opened(sent.text, now)
    const fault = validityFault(content, now) ?? bindingFault(content, leafOf(x5c))
    if (fault !== undefined) throw invalid(fault.sentence)
    const { status, failure } = await look({ certificate: sent.text, status: null, checkedAt: null }, now)
    if (failure !== null) throw invalid(failure)
    if (status !== 'valid') throw invalid(`The registration certificate is ${status}.`)
    return { ...sent, content, registrar: registrarOf(signer) }
  }

  const opened = async (text: string, now: Date) => {
    try {
      return await openRegistrationCertificate(text, judgeOf(config, now))
    } catch (error) {
      throw error instanceof RegistrationCertificateError ? await refused(text, error) : error
    }
  }

  return async (
    sent: readonly SentCertificate[],
    x5c: readonly string[] | null,
  ): Promise<readonly ValidCertificate[]> => {
    if (!isAnchored({ trustAnchors: config.registrarTrustAnchors, lists: config.listed?.registrars }))
      throw invalid(
        'This installation trusts no registrar: neither REGISTRAR_TRUST_ANCHORS nor a list of registrars is set.',
      )
    const now = clock()
    return Promise.all(sent.map((certificate) => checked(certificate, x5c, now)))
  }
}

type Shown = PartyRegistration['certificates'][number]

const present = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [K in Name]?: Value }

/** A certificate as people see it. @param covered what it covers: for verifiers or for issuers */
function shown({ content, registrar }: ValidCertificate, covered: readonly RegisteredCredential[]): Shown {
  const { subject, intermediary, supervisoryAuthority } = content
  return {
    identifier: subject.identifier,
    name: subject.name,
    ...present('legalName', subject.legalName),
    ...present('country', subject.country),
    ...present('registrar', registrar),
    ...present('intermediary', intermediary && (intermediary.name ?? intermediary.identifier)),
    purposes: content.purposes.map((text) => ({ ...text })),
    services: content.services.map((text) => ({ ...text })),
    entitlements: [...content.entitlements],
    covers: covered.map(({ format, meta, claims }) => ({
      format,
      meta: { ...meta },
      ...present(
        'claims',
        claims?.map((path) => [...path]),
      ),
    })),
    ...present('privacyPolicy', content.privacyPolicy),
    ...present('support', content.support),
    ...present('supervisoryAuthority', supervisoryAuthority && { ...supervisoryAuthority }),
    ...present('expiresAt', content.expiresAt?.toISOString()),
  }
}

export const UNREGISTERED: PartyRegistration = { state: 'none', beyond: [], certificates: [] }

/** The answer for checked certificates. @param beyond a sentence for each part that they do not cover */
export const registrationOf = (
  certificates: readonly ValidCertificate[],
  of: 'credentials' | 'providesAttestations',
  beyond: readonly string[],
): PartyRegistration => ({
  state: beyond.length === 0 ? 'registered' : 'beyond',
  beyond: [...beyond],
  certificates: certificates.map((one) => shown(one, one.content[of])),
})

/** Turns a failed check into an answer. Other errors are thrown. */
export async function answering(judge: () => Promise<PartyRegistration>): Promise<PartyRegistration> {
  try {
    return await judge()
  } catch (error) {
    if (!(error instanceof InvalidRegistrationError)) throw error
    const { message: reason, signer } = error
    const shownSigner =
      signer === undefined
        ? {}
        : { signer: { ...signer, certificates: [...signer.certificates], types: [...signer.types] } }
    return { state: 'invalid', reason, ...shownSigner, beyond: [], certificates: [] }
  }
}
