import type { Outbound } from '../../outbound/guard.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import { IssuerKeyError } from '../../protocol/issuer-keys/issuer-key-error.js'
import { RegistrationCertificateError } from '../../protocol/registration-certificates/fault.js'
import {
  openRegistrationCertificate,
  type RegistrationCertificate,
} from '../../protocol/registration-certificates/registration-certificate.js'
import { MAX_STATUS_LIST_BYTES } from '../../protocol/status-list/compression.js'
import { checkForeignStatus } from '../../protocol/status-list/foreign-status.js'
import { judgeOf, type RegistrarTrust } from './opened.js'
import type { Looked } from './state.js'

/** Dependencies of {@link createLook}. */
export interface LookPorts {
  readonly config: RegistrarTrust
  readonly outbound: Pick<Outbound, 'fetchText' | 'fetchBytes'>
}

/** A registration certificate, and the status that was read last. */
export interface LookedAt {
  readonly certificate: string
  readonly status: string | null
  readonly checkedAt: Date | null
}

/** The status that was read last stays if the new one cannot be read. */
export type Look = (at: LookedAt, now: Date) => Promise<Looked>

/**
 * Makes the look at a registration certificate: its signer is judged again, and its status list is read (TS 119 475 §6.2.6.2).
 * The list must be signed by the signer of the certificate, by a signer below REGISTRAR_TRUST_ANCHORS, or by the same entity of a
 * list of registrars. Callers compare the certificate with the access certificate, which may change at any time.
 */
export function createLook({ config, outbound }: LookPorts): Look {
  const statusOf = async ({ form, content, signer }: RegistrationCertificate, now: Date) =>
    checkForeignStatus(
      {
        fetchText: async (url, accept) =>
          (await outbound.fetchText(url, { accept, maxBytes: MAX_STATUS_LIST_BYTES })).text,
        fetchBytes: (url, accept) => outbound.fetchBytes(url, { accept, maxBytes: MAX_STATUS_LIST_BYTES }),
        // A name proves nothing here: the list must have a chain to a registrar, or the key of the certificate.
        resolveIssuerKey: async () => {
          throw new IssuerKeyError('Its signer is neither the signer of the certificate nor another trusted registrar.')
        },
        // A registrar on a list has its own entity, in `signer`. Other registrars on lists do not count.
        trustAnchors: config.registrarTrustAnchors,
        now,
      },
      { ...content.status, asCwt: form === 'cwt' },
      { issuer: '', ...signer },
    )

  return async ({ certificate, status, checkedAt }, now) => {
    try {
      const opened = await openRegistrationCertificate(certificate, judgeOf(config, now))
      return { status: await statusOf(opened, now), checkedAt: now, failedCheck: null, failure: null }
    } catch (error) {
      if (error instanceof RegistrationCertificateError)
        return {
          status,
          checkedAt,
          failedCheck: error.check === 'signer' ? 'signer' : 'malformed',
          failure: error.message,
        }
      if (error instanceof CredentialError)
        return { status, checkedAt, failedCheck: 'status-unknown', failure: error.message }
      throw error
    }
  }
}
