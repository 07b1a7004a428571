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
import type { SignerStore } from '../signers/store.js'
import type { AgentStore } from '../store.js'
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
 * Checks a certificate before it is stored: form, signature, signer, times, something to request, and the access certificate of
 * its verifier.
 *
 * @param x5c the chain of the verifier's key
 * @throws RegistrationCertificateError, or the error of `refuse`
 */
export async function checkedRegistration(
  { certificate, x5c }: { readonly certificate: string; readonly x5c: readonly string[] | null },
  { config, now, refuse }: { config: RegistrarTrust; now: Date; refuse: (sentence: string) => Error },
): Promise<RegistrationCertificate> {
  const opened = await openRegistrationCertificate(certificate, judgeOf(config, now))
  const { content } = opened
  const fault = validityFault(content, now) ?? bindingFault(content, leafOf(x5c))
  if (fault !== undefined) throw refuse(fault.sentence)
  if (content.credentials.length === 0) {
    throw refuse('The registration certificate has no credentials that may be requested.')
  }
  return opened
}

/** The row of a checked certificate. */
export function newRegistration(
  { id, verifierId, certificate }: Pick<NewRegistration, 'id' | 'verifierId' | 'certificate'>,
  { content }: RegistrationCertificate,
  dueAt: Date,
  looked: Looked = NEVER_LOOKED,
): NewRegistration {
  return {
    id,
    verifierId,
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
  readonly store: Pick<RegistrationStore, 'add' | 'ofVerifier' | 'remove'>
  readonly agents: Pick<AgentStore, 'verifier'>
  readonly signers: Pick<SignerStore, 'find'>
  readonly keys: Pick<KeyStore, 'current'>
  readonly look: Look
  readonly config: RegistrarTrust
  readonly clock: () => Date
  readonly newId: () => string
}

export type Registrations = ReturnType<typeof createRegistrations>

/** The registration certificates of verifier records (ETSI TS 119 475). */
export function createRegistrations({ store, agents, signers, keys, look, config, clock, newId }: RegistrationsPorts) {
  const refuse = (sentence: string) => errors.badRequest(`certificate is refused: ${sentence}`)

  const checked = async (certificate: string, x5c: readonly string[] | null, now: Date) => {
    try {
      return await checkedRegistration({ certificate, x5c }, { config, now, refuse })
    } catch (error) {
      if (!(error instanceof RegistrationCertificateError)) throw error
      throw refuse(error.message)
    }
  }

  return {
    /**
     * Adds a certificate to a verifier of the caller, or to the default verifier.
     *
     * @throws 400 with the failed check; 404 for an unknown verifier; 409 if the verifier has the certificate
     */
    async add({ id, certificate }: z.output<typeof addRegistration.input>, sub: string): Promise<Shown> {
      const record = await agents.verifier(id, sub)
      if (record === undefined) throw errors.recordNotFound('Verifier')
      const x5c = (await keys.current(record.keySetId))?.x5c ?? null
      if (x5c === null) throw errors.badRequest('certificate needs an access certificate of the verifier first')
      const now = clock()
      const text = certificate.trim()
      const opened = await checked(text, x5c, now)
      const looked = await look({ certificate: text, x5c, status: null, checkedAt: null }, now)
      if (looked.status === 'revoked' || looked.status === 'suspended') {
        throw refuse(`The registration certificate is ${looked.status}.`)
      }
      const dueAt = looked.failedCheck === null ? new Date(now.getTime() + AGAIN_MS) : now
      const row = newRegistration({ id: newId(), verifierId: record.id, certificate: text }, opened, dueAt, looked)
      const outcome = await store.add(row, sub)
      if (outcome === 'known') throw errors.registrationKnown()
      if (outcome === 'full') throw errors.badRequest(`certificate must not be one more than ${MAX_REGISTRATIONS}`)
      return shown({ ...row, fromFile: false, createdAt: now }, x5c, now)
    },

    /** @throws 404 for an unknown verifier */
    async list(id: string): Promise<z.input<typeof listRegistrations.output>> {
      const signer = await signers.find('verifier', id)
      if (signer === undefined) throw errors.recordNotFound('Verifier')
      const now = clock()
      const rows = await store.ofVerifier(id)
      return { items: await Promise.all(rows.map((row) => shown(row, signer.x5c, now))) }
    },

    /** @throws 404 for an unknown certificate, and for a certificate of the file or of another caller */
    async remove({ id, certificateId }: z.output<typeof removeRegistration.input>, sub: string): Promise<void> {
      const record = await agents.verifier(id, sub)
      const removed = record !== undefined && (await store.remove(record.id, certificateId, sub))
      if (!removed) throw errors.registrationNotFound()
    },
  }
}
