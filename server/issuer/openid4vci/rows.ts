import { z } from 'zod'
import { json, storedClaims } from '../../database/row-shapes.js'
import { recordedShape } from '../../events/store.js'
import { hashedNamesShape } from '../../names/names-store.js'
import type { Face } from '../../pages/brand.js'
import { zWatchedStatuses } from '../attestation-watch/watched.js'
import { ON_REFRESH } from '../issuance/active-sets.js'
import { offerRulesShape, zContext } from '../issuance/store.js'
import type { ClaimNames, SchemaDisplay } from '../schemas/store.js'
import { OFFER_PROFILES } from './offer-profile.js'
import { sessionShape } from './sessions/store.js'

/** The columns of `offeringColumns`. */
const offeringShape = {
  ...sessionShape,
  offeringId: z.string(),
  schemaName: z.string(),
  asMdoc: z.boolean(),
  offered: z.array(z.string()),
  recipient: z.string().nullable(),
  grant: z.enum(['pre-authorized_code', 'authorization_code']),
  forSubject: z.string().nullable(),
  profile: z.enum(OFFER_PROFILES),
  deferred: z.boolean(),
  claimsAtIssuance: z.boolean(),
  redemptionLimit: z.int().nullable(),
  redemptionCount: z.int(),
  expiresAt: z.date().nullable(),
  claimsErased: z.boolean(),
}

export const zOffering = z.strictObject(offeringShape)

export const zToken = zContext.extend({
  ...offeringShape,
  tokenHash: z.string(),
  tokenExpiresAt: z.date(),
  detailed: z.array(z.string()),
  scoped: z.array(z.string()),
  linkNumber: z.int(),
  dpopJkt: z.string().nullable(),
  authorizationId: z.string().nullable(),
  authorizationExpiresAt: z.date().nullable(),
  counted: z.boolean(),
  clientId: z.string().nullable(),
  userSub: z.string().nullable(),
  userClaims: z.string().nullable(),
  credentialId: z.string().nullable(),
  credentialSubject: storedClaims,
  subjectKey: z.string().nullable(),
  credentialGood: z.boolean().nullable(),
  credentialSuspended: z.boolean(),
  walletStatuses: zWatchedStatuses.nullable(),
  credentialSigned: z.boolean(),
  credentialErased: z.boolean(),
  ...offerRulesShape,
  generation: z.int(),
  authorizationGeneration: z.int(),
  proven: z.boolean(),
  ...hashedNamesShape,
})

export const zRefreshToken = z.strictObject({
  authorizationId: z.string(),
  clientId: z.string().nullable(),
  offeringId: z.string(),
  linkNumber: z.int(),
  profile: z.enum(OFFER_PROFILES),
  offered: z.array(z.string()),
  detailed: z.array(z.string()),
  scoped: z.array(z.string()),
  dpopJkt: z.string().nullable(),
  instanceJkt: z.string().nullable(),
  expiresAt: z.date(),
  replaced: z.boolean(),
  onRefresh: z.enum(ON_REFRESH).nullable(),
  claimsErased: z.boolean(),
})

/** The columns of `shownColumns`. */
export const zShownOffering = z.strictObject({
  ...offeringShape,
  schemaTitle: z.string().nullable(),
  schemaDisplay: json<SchemaDisplay[]>().nullable(),
  schemaBody: json(),
  schemaClaims: json<ClaimNames[]>().nullable(),
  issuerDisplay: json<NonNullable<Face['display']>>().nullable(),
  credentialSubject: storedClaims,
  subjectKey: z.string().nullable(),
})

export const zIssuerDisplay = z.strictObject({ display: json<NonNullable<Face['display']>>().nullable() })

/** The row of a statement that stores a token. `open` and `fresh` say why a token was not stored. */
export const zStored = z.strictObject({ stored: z.boolean(), open: z.boolean(), fresh: z.boolean(), ...recordedShape })

export const hashRow = z.strictObject({ hash: z.string() })
