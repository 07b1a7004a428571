import type { WalletOffering } from '../../../server/issuer/openid4vci/offer-store.js'
import type { StoredSession } from '../../../server/issuer/openid4vci/sessions/store.js'

export const NOW = new Date('2026-05-04T10:00:00Z')

/** The stored session of an offer that a wallet has just fetched. */
export const storedSession = (session: Partial<StoredSession> = {}): StoredSession => ({
  id: 'offer',
  createdBy: 'clerk',
  state: 'OfferRetrieved',
  seq: 2,
  errorMessage: null,
  deferred: null,
  configurationIds: ['Diploma'],
  issuerId: 'issuer',
  expiresAt: new Date(NOW.getTime() + 60_000),
  createdAt: NOW,
  txCode: null,
  txCodeHash: null,
  txCodeAttempts: 0,
  linkNumber: 0,
  ...session,
})

/** A stored offering without a session, which can still be taken. */
export const walletOffering = (offering: Partial<WalletOffering> = {}): WalletOffering => ({
  offeringId: 'offer',
  schemaName: 'Diploma',
  asMdoc: false,
  offered: ['Diploma'],
  recipient: null,
  grant: 'pre-authorized_code',
  forSubject: null,
  profile: 'final',
  deferred: false,
  claimsAtIssuance: false,
  redemptionLimit: null,
  redemptionCount: 0,
  expiresAt: null,
  claimsErased: false,
  session: null,
  ...offering,
})
