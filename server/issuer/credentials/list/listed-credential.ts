import type { z } from 'zod'
import { namesView } from '../../../names/names.js'
import { statusOf } from '../status.js'
import type { zListedCredential } from './list.contract.js'
import type { ListedCredential } from './store.js'

/** A stored credential as lists show it. */
export const listedCredential = (credential: ListedCredential): z.input<typeof zListedCredential> => ({
  id: credential.id,
  schemaId: credential.schemaId,
  type: credential.schemaName,
  version: credential.schemaVersion,
  configurationIds: [...credential.configurationIds],
  issuerId: credential.issuerId,
  ...namesView(credential.names),
  ...(credential.holderDid === null ? {} : { holderDid: credential.holderDid }),
  ...(credential.offeringId === null ? {} : { offeringId: credential.offeringId }),
  ...(credential.owner === null ? {} : { createdBy: credential.owner }),
  status: statusOf(credential),
  ...(credential.suspendable ? { suspendable: true as const } : {}),
  createdAt: credential.createdAt.toISOString(),
  ...(credential.revokedAt === null ? {} : { revokedAt: credential.revokedAt.toISOString() }),
  ...(credential.suspendedAt === null ? {} : { suspendedAt: credential.suspendedAt.toISOString() }),
  ...(credential.expiresAt === null ? {} : { expiresAt: credential.expiresAt.toISOString() }),
  ...(credential.supersededBy === null ? {} : { supersededBy: credential.supersededBy }),
  ...(credential.statusReason === null ? {} : { reason: credential.statusReason }),
  ...(credential.claimsErasedAt === null ? {} : { claimsErasedAt: credential.claimsErasedAt.toISOString() }),
})
