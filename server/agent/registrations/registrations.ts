import { hash } from 'node:crypto'
import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import type { KeyStore } from '../../keys/store.js'
import { RegistrationCertificateError } from '../../protocol/registration-certificates/fault.js'
import {
  openRegistrationCertificate,
  type RegistrationCertificate,
  validityFault,
} from '../../protocol/registration-certificates/registration-certificate.js'
import { bindingFault } from '../../protocol/registration-certificates/subject.js'
import type { SignerKind, SignerStore } from '../signers/store.js'
import type { AgentRecord, AgentStore } from '../store.js'
import type { Look } from './look.js'
import { judgeOf, leafOf, openStored, type RegistrarTrust } from './opened.js'
import type { addRegistration, listRegistrations, removeRegistration, zRegistration } from './registrations.contract.js'
import { type Judged, judgeLooked, type Looked } from './state.js'
import { MAX_REGISTRATIONS, type NewRegistration, type RegistrationStore, type StoredRegistration } from './store.js'

type Shown = z.input<typeof zRegistration>

/** The next look is due at once if the first one could not read the status. */
const AGAIN_MS = 3_600_000

const NEVER_LOOKED: Looked = { status: null, checkedAt: null, failedCheck: null, failure: null }

/**
 * Checks a certificate before it is stored: form, signature, signer, times, something to request or to issue, and the access
 * certificate.
 *
 * @param kind who the certificate is for: a verifier requests, and an issuer issues
 * @param x5c the chain of the access certificate
 * @throws RegistrationCertificateError, or the error of `refuse`
 */
export async function checkedRegistration(
  {
    kind,
    certificate,
    x5c,
  }: { readonly kind: SignerKind; readonly certificate: string; readonly x5c: readonly string[] | null },
  { config, now, refuse }: { config: RegistrarTrust; now: Date; refuse: (sentence: string) => Error },
): Promise<RegistrationCertificate> {
  const opened = await openRegistrationCertificate(certificate, judgeOf(config, now))
  const { content } = opened
  const fault = validityFault(content, now) ?? bindingFault(content, leafOf(x5c))
  if (fault !== undefined) throw refuse(fault.sentence)
  const isEmpty = (kind === 'issuer' ? content.providesAttestations : content.credentials).length === 0
  if (isEmpty) {
    const use = kind === 'issuer' ? 'issued' : 'requested'
    throw refuse(`The registration certificate has no credentials that may be ${use}.`)
  }
  return opened
}

/** The row of a checked certificate. */
export function newRegistration(
  { id, owner, certificate }: Pick<NewRegistration, 'id' | 'owner' | 'certificate'>,
  { content }: RegistrationCertificate,
  dueAt: Date,
  looked: Looked = NEVER_LOOKED,
): NewRegistration {
  return {
    id,
    owner,
    certificate,
    fingerprint: hash('sha256', certificate, 'base64url'),
    subject: content.subject.identifier,
    intendedUse: content.intendedUse ?? null,
    issuedAt: content.issuedAt,
    endsAt: content.expiresAt ?? null,
    dueAt,
    ...looked,
  }
}

/** Judges a stored certificate at `now`: its times, its tie to the access certificate, and the last look. */
export function judgeStored(
  { content }: RegistrationCertificate,
  looked: Looked,
  { x5c, now }: { readonly x5c: readonly string[] | null; readonly now: Date },
): Judged {
  const fault = validityFault(content, now) ?? bindingFault(content, leafOf(x5c))
  if (fault === undefined) return judgeLooked(looked, now)
  const { check, sentence } = fault
  return {
    state: check === 'expired' || check === 'not-yet-valid' || check === 'other-subject' ? check : 'malformed',
    sentence,
  }
}

async function shown(row: StoredRegistration, x5c: readonly string[] | null, now: Date): Promise<Shown> {
  const opened = await openStored(row.certificate)
  const { content } = opened
  const { subject } = content
  const { state, sentence } = judgeStored(opened, row, { x5c, now })
  return {
    id: row.id,
    form: opened.form,
    subject: {
      identifier: subject.identifier,
      name: subject.name,
      ...(subject.legalName === undefined ? {} : { legalName: subject.legalName }),
      ...(subject.country === undefined ? {} : { country: subject.country }),
    },
    intermediary: content.intermediary === undefined ? null : { ...content.intermediary },
    intendedUse: content.intendedUse ?? null,
    purposes: content.purposes.map((text) => ({ ...text })),
    credentials: content.credentials.map(({ format, meta, claims }) => ({
      format,
      meta: { ...meta },
      claims: claims === undefined ? null : claims.map((path) => [...path]),
    })),
    providesAttestations: content.providesAttestations.map(({ format, meta }) => ({ format, meta: { ...meta } })),
    entitlements: [...content.entitlements],
    privacyPolicy: content.privacyPolicy ?? null,
    registryUri: content.registryUri ?? null,
    supervisoryAuthority: content.supervisoryAuthority === undefined ? null : { ...content.supervisoryAuthority },
    issuedAt: content.issuedAt.toISOString(),
    expiresAt: content.expiresAt?.toISOString() ?? null,
    state,
    reason: sentence,
    checkedAt: row.checkedAt?.toISOString() ?? null,
    fromFile: row.fromFile,
    createdAt: row.createdAt.toISOString(),
  }
}

/** Dependencies of {@link createRegistrations}. */
export interface RegistrationsPorts {
  readonly store: Pick<RegistrationStore, 'add' | 'of' | 'ofIssuers' | 'remove'>
  readonly agents: Pick<AgentStore, 'defaultIssuer' | 'issuer' | 'verifier'>
  readonly signers: Pick<SignerStore, 'find'>
  readonly keys: Pick<KeyStore, 'current'>
  readonly look: Look
  readonly config: RegistrarTrust
  readonly clock: () => Date
  readonly newId: () => string
}

export type Registrations = ReturnType<typeof createRegistrations>

const TITLES = { issuer: 'Issuer', verifier: 'Verifier' } as const

/** An unknown status does not keep a certificate of an issuer out of the metadata: wallets read the status list themselves. */
const PUBLISHED: ReadonlySet<Judged['state']> = new Set(['usable', 'status-unknown'])

/** The registration certificates of verifier and issuer records (ETSI TS 119 475). */
export function createRegistrations({ store, agents, signers, keys, look, config, clock, newId }: RegistrationsPorts) {
  const refuse = (sentence: string) => errors.badRequest(`certificate is refused: ${sentence}`)

  const recordOf = (kind: SignerKind, id: string, sub: string): Promise<AgentRecord | undefined> =>
    kind === 'issuer' ? agents.issuer(id, sub) : agents.verifier(id, sub)

  const chainOf = async ({ keySetId }: Pick<AgentRecord, 'keySetId'>) => (await keys.current(keySetId))?.x5c ?? null

  /**
   * The access certificate of all issuers: it signs the metadata, and wallets compare each certificate in `issuer_info` with it
   * (ETSI TS 119 472-3 §4.2).
   */
  const issuersChain = async (): Promise<readonly string[] | null> => {
    const record = await agents.defaultIssuer()
    return record === undefined ? null : chainOf(record)
  }

  const checked = async (kind: SignerKind, certificate: string, x5c: readonly string[] | null, now: Date) => {
    try {
      return await checkedRegistration({ kind, certificate, x5c }, { config, now, refuse })
    } catch (error) {
      if (!(error instanceof RegistrationCertificateError)) throw error
      throw refuse(error.message)
    }
  }

  return {
    /**
     * Adds a certificate to a record of the caller, or to the default record.
     *
     * @throws 400 with the failed check; 404 for an unknown record; 409 if the record has the certificate
     */
    async add(
      kind: SignerKind,
      { id, certificate }: z.output<typeof addRegistration.input>,
      sub: string,
    ): Promise<Shown> {
      const record = await recordOf(kind, id, sub)
      if (record === undefined) throw errors.recordNotFound(TITLES[kind])
      const x5c = await (kind === 'issuer' ? issuersChain() : chainOf(record))
      if (x5c === null) {
        const whose = kind === 'issuer' ? 'default issuer (ISSUER_X509)' : 'verifier'
        throw errors.badRequest(`certificate needs an access certificate of the ${whose} first`)
      }
      const now = clock()
      const text = certificate.trim()
      const opened = await checked(kind, text, x5c, now)
      const looked = await look({ certificate: text, status: null, checkedAt: null }, now)
      if (looked.status === 'revoked' || looked.status === 'suspended') {
        throw refuse(`The registration certificate is ${looked.status}.`)
      }
      const dueAt = looked.failedCheck === null ? new Date(now.getTime() + AGAIN_MS) : now
      const owner = { kind, id: record.id }
      const row = newRegistration({ id: newId(), owner, certificate: text }, opened, dueAt, looked)
      const outcome = await store.add(row, sub)
      if (outcome === 'known') throw errors.registrationKnown(kind)
      if (outcome === 'full') throw errors.badRequest(`certificate must not be one more than ${MAX_REGISTRATIONS}`)
      return shown({ ...row, fromFile: false, createdAt: now }, x5c, now)
    },

    /** @throws 404 for an unknown record */
    async list(kind: SignerKind, id: string): Promise<z.input<typeof listRegistrations.output>> {
      const signer = await signers.find(kind, id)
      if (signer === undefined) throw errors.recordNotFound(TITLES[kind])
      const now = clock()
      const [rows, x5c] = await Promise.all([store.of({ kind, id }), kind === 'issuer' ? issuersChain() : signer.x5c])
      return { items: await Promise.all(rows.map((row) => shown(row, x5c, now))) }
    },

    /** The certificates of issuers that the metadata have at `now`, the newest first. */
    async published(now: Date): Promise<readonly string[]> {
      const rows = await store.ofIssuers()
      if (rows.length === 0) return []
      const x5c = await issuersChain()
      const judged = await Promise.all(
        rows.map(async (row) => judgeStored(await openStored(row.certificate), row, { x5c, now })),
      )
      return rows.flatMap(({ certificate }, at) =>
        PUBLISHED.has(judged[at]?.state ?? 'malformed') ? [certificate] : [],
      )
    },

    /** @throws 404 for an unknown certificate, and for the record of another caller; 409 for a certificate of the file */
    async remove(
      kind: SignerKind,
      { id, certificateId }: z.output<typeof removeRegistration.input>,
      sub: string,
    ): Promise<void> {
      const record = await recordOf(kind, id, sub)
      if (record === undefined) throw errors.registrationNotFound()
      const outcome = await store.remove({ kind, id: record.id }, certificateId, sub)
      if (outcome === 'configured') throw errors.registrationConfigured(kind)
      if (outcome === 'unknown') throw errors.registrationNotFound()
    },
  }
}
