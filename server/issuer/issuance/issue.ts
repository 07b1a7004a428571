import { errors } from '../../api/errors.js'
import type { Deps } from '../../deps.js'
import type { IssuedFormat } from '../../formats/format.js'
import type { Binding } from '../../formats/issuing.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import type { TakenIndices } from '../../status-lists/allotment.js'
import { type SignedInstance, type SignRequest, signInstance } from './sign.js'
import type { CredentialAudit, IssuanceContext } from './store.js'
import { credentialView } from './vc-object.js'

export interface IssueRequest {
  readonly context: IssuanceContext
  readonly subject: Readonly<Record<string, unknown>>
  readonly format: IssuedFormat
  readonly binding: Binding
  readonly owner: string
  readonly holderDid: string | undefined
  readonly action: CredentialAudit['action']
  readonly redemption?: { readonly offeringId: string }
}

export interface Issued {
  readonly id: string
  readonly compact: string
  readonly vc: Readonly<Record<string, unknown>>
}

/**
 * Signs one credential for a caller and records it; where it is redeemed from an offering, the redemption counts with it.
 *
 * @returns undefined where the offering was used up or expired before it was recorded.
 */
export async function issueToCaller(deps: Deps, request: IssueRequest): Promise<Issued | undefined> {
  const { context, owner } = request
  const id = deps.newId()
  const now = deps.clock()
  const taken = await deps.allotment.allot(context.issuerId, context.keyId, 1)
  const signed = await sign(deps, taken, { ...request, id, issuedAt: now })
  const vc = credentialView(deps.config, request, id, signed, now)
  const recorded = await deps.stores.issuance.record(
    {
      id,
      schemaId: context.id,
      issuerId: context.issuerId,
      owner,
      holderDid: request.holderDid ?? null,
      vc,
      createdAt: now,
      instances: [signed.instance],
      audit: { actor: owner, action: request.action },
    },
    request.redemption === undefined
      ? undefined
      : {
          id: deps.newId(),
          offeringId: request.redemption.offeringId,
          recipientDid: request.holderDid ?? null,
          redeemedBy: owner,
        },
  )
  if (recorded) return { id, compact: signed.compact, vc }
  taken.giveBack()
  return undefined
}

/** A subject that a format cannot carry is the caller's error: 400. */
async function sign(deps: Deps, taken: TakenIndices, request: Omit<SignRequest, 'status'>): Promise<SignedInstance> {
  try {
    const [status] = taken.indices
    if (status === undefined) throw new Error('No status index was allotted.')
    return await signInstance(deps, { ...request, status })
  } catch (thrown) {
    taken.giveBack()
    if (thrown instanceof CredentialError)
      throw errors.badRequest(`credential_subject cannot be signed: ${thrown.message}`)
    throw thrown
  }
}
