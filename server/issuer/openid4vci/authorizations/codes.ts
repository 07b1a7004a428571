import type { Config } from '../../../config/config.js'
import { sha256 } from '../../../keys/secret-hash.js'
import { offeredClaimsDueAt, type RetentionConfig } from '../../issuance/retention.js'
import { CODE_SECONDS } from './authorization.js'
import type { DecisionStore, OfferGrant } from './decision-store.js'
import type { Issuable, Issuables } from './issuable.js'

/** Lifetime of an offering that is made for a user, in seconds. */
const MADE_SECONDS = 86_400

/** An issuable credential whose claims are known, or are asked for later. */
export type Decided = Exclude<Issuable, { kind: 'form' }>

/** Dependencies of {@link createCodes}. */
export interface CodesPorts {
  readonly decisions: Pick<DecisionStore, 'grantMade' | 'grantOffer'>
  readonly config: Pick<Config, 'issuerProfile' | 'signIn'> & RetentionConfig
  readonly configurationsOf: Issuables['configurationsOf']
  readonly random: (length: number) => Uint8Array
  readonly clock: () => Date
  readonly newId: () => string
}

export type Codes = ReturnType<typeof createCodes>

/** Authorization codes for credentials that users have accepted. */
export function createCodes({ decisions, config, configurationsOf, random, clock, newId }: CodesPorts) {
  /** A code, and its stored form. */
  const newCode = () => {
    const now = clock()
    const code = Buffer.from(random(32)).toString('base64url')
    return { code, codeHash: sha256(code), codeExpiresAt: new Date(now.getTime() + CODE_SECONDS * 1000), now }
  }

  return {
    /**
     * Makes a code for an open offer, and returns it with the authorization request. Returns undefined if the offer is
     * closed, or is for another user or wallet.
     */
    async codeForOffer(offer: Pick<OfferGrant, 'id' | 'browserHash' | 'offeringId'>) {
      const { code, ...stored } = newCode()
      const { issuerProfile, signIn } = config
      const asked = { attestedOnly: issuerProfile === 'haip', usersHaveDids: signIn !== undefined }
      const parameters = await decisions.grantOffer({ ...offer, ...stored, ...asked })
      return parameters === undefined ? undefined : { code, parameters }
    },

    /** Makes an offering for a user, and a code for it. Undefined if the request was decided before. */
    async codeForMade(
      authorization: Pick<OfferGrant, 'id' | 'browserHash'>,
      made: Decided & { readonly kind: 'claims' | 'source' },
    ): Promise<string | undefined> {
      const { context } = made
      const { code, ...stored } = newCode()
      const expiresAt = new Date(stored.now.getTime() + MADE_SECONDS * 1000)
      const given = await decisions.grantMade({
        ...authorization,
        offeringId: newId(),
        ...stored,
        made: {
          schemaId: context.id,
          issuerId: context.issuerId,
          credentialSubject: made.kind === 'claims' ? made.credentialSubject : {},
          claimsAtIssuance: made.kind === 'source',
          configurationIds: configurationsOf(context),
          expiresAt,
          claimsDueAt: offeredClaimsDueAt(context, config, expiresAt),
        },
      })
      return given ? code : undefined
    },
  }
}
