import { errors } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { IssuedFormat } from '../../formats/format.js'
import type { Binding } from '../../formats/issuing.js'
import type { HashedNames } from '../../names/names.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import { listsFor } from '../../status-lists/allotment.js'
import type { StatusLists } from '../../status-lists/status-lists.js'
import type { SubjectHash } from './active-sets.js'
import { dueTimes, type RetentionConfig } from './retention.js'
import type { Sign } from './sign.js'
import type { CredentialAudit, IssuanceContext, IssuanceStore } from './store.js'
import { recordedValidity } from './validity.js'
import { credentialView } from './vc-object.js'

export interface IssueRequest {
  readonly context: IssuanceContext
  readonly subject: Readonly<Record<string, unknown>>
  readonly format: IssuedFormat
  readonly binding: Binding
  readonly owner: string
  readonly holderDid: string | undefined
  /** The names of the credential; null without names. */
  readonly names: HashedNames | null
  /** The `sub` of the user who claims an offering; absent for any other issuance. */
  readonly claimedBy?: string
  readonly action: CredentialAudit['action']
  readonly redemption?: { readonly offeringId: string }
}

export interface Issued {
  readonly id: string
  readonly compact: string
  readonly vc: Readonly<Record<string, unknown>>
}

/** Dependencies of {@link createIssue}. */
export interface IssuePorts {
  readonly sign: Sign
  readonly allot: StatusLists['allot']
  readonly store: Pick<IssuanceStore, 'record'>
  readonly subjectHash: SubjectHash
  readonly config: Pick<Config, 'issuerBaseUrl'> & RetentionConfig
  readonly clock: () => Date
  readonly newId: () => string
}

/**
 * Signs and stores one credential for a caller. If the credential is redeemed from an offering, the same statement
 * counts the redemption.
 *
 * @returns undefined if the offering was used up or expired before the credential was stored
 * @throws 400 for a subject that the format cannot contain
 */
export type Issue = (request: IssueRequest) => Promise<Issued | undefined>

export function createIssue({ sign, allot, store, subjectHash, config, clock, newId }: IssuePorts): Issue {
  return async (request) => {
    const { context, owner } = request
    const id = newId()
    const now = clock()
    const taken = await allot(listsFor(context), 1)
    const [status] = taken.indices
    if (status === undefined) throw new Error('No status index was allotted.')
    const signed = await sign({ ...request, id, status, issuedAt: now }).catch((thrown: unknown) => {
      taken.giveBack()
      throw refusalOf(thrown)
    })
    const vc = credentialView(config, request, id, signed, now)
    const recorded = await store.record(
      {
        id,
        schemaId: context.id,
        issuerId: context.issuerId,
        owner,
        holderDid: request.holderDid ?? null,
        vc,
        names: request.names,
        createdAt: now,
        subjectHash: subjectHash(context, {
          forSubject: null,
          names: request.names,
          did: request.holderDid ?? null,
          user: request.claimedBy ?? null,
        }),
        ...recordedValidity(context, now),
        ...dueTimes(context, config, now),
        instances: [signed.instance],
        audit: { actor: owner, action: request.action },
      },
      request.redemption === undefined
        ? undefined
        : {
            id: newId(),
            offeringId: request.redemption.offeringId,
            recipientDid: request.holderDid ?? null,
            redeemedBy: owner,
          },
    )
    if (recorded) return { id, compact: signed.compact, vc }
    taken.giveBack()
    return undefined
  }
}

/** Turns the error for a subject that the format cannot contain into a 400. Other errors stay unchanged. */
const refusalOf = (thrown: unknown): unknown =>
  thrown instanceof CredentialError
    ? errors.badRequest(`credential_subject cannot be signed: ${thrown.message}`)
    : thrown
