import { createHmac, timingSafeEqual } from 'node:crypto'
import { open, seal } from '../../protocol/jose/sealed.js'
import { secretKey } from '../../protocol/jose/secret-key.js'

/**
 * A pre-authorized code expires after ten minutes. A wallet fetches the code with the offer, right before the wallet
 * uses the code.
 */
export const CODE_SECONDS = 600
/** Long enough for a user to enter a PIN between the nonce and the proof. */
export const NONCE_SECONDS = 300

/** The content of a pre-authorized code. The code itself is this content, encrypted. No code is stored before it is used. */
export interface PreAuthorizedCode {
  readonly offeringId: string
  /** Unique. It is stored when the code is used. */
  readonly jti: string
  /** The end of the code's lifetime. */
  readonly expiresAt: Date
  /** The number of the offer's link that gave the code. */
  readonly linkNumber: number
  /** Present if a token may be issued without reading the offering. `hasSession`: whether the offering has a session. */
  readonly plain?: { readonly hasSession: boolean }
}

/** A link of an offer. A resend replaces the link of a credential offer: the number grows by one. */
export interface OfferLink {
  readonly offeringId: string
  /** 0 for the first link, and for every offering without a session. */
  readonly linkNumber: number
}

interface Sealed {
  /** Seconds since the epoch. */
  readonly exp: number
}

interface SealedCode extends Sealed {
  readonly o: string
  readonly j: string
  /** The number of the link; absent for the first link. */
  readonly l?: number
  /** Only for a plain offering: whether the offering has a session. */
  readonly s?: boolean
}

interface SealedNotification {
  readonly o: string
  readonly c: string
}

const seconds = (date: Date) => Math.floor(date.getTime() / 1000)

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Dependencies of {@link createSeals}. */
export interface SealOptions {
  readonly sealingKey: (label: string) => Uint8Array
  readonly clock: () => Date
  readonly newId: () => string
}

/** Makes and opens the sealed, stateless values of an issuance. Each use has its own key, derived from the root secret. */
export function createSeals(parts: SealOptions) {
  const codeKey = parts.sealingKey('pre-authorized-code')
  const nonceKey = parts.sealingKey('c-nonce')
  const issuerStateKey = parts.sealingKey('issuer-state')
  const challengeKey = parts.sealingKey('attestation-challenge')
  const isFresh = (opened: unknown) =>
    isObject(opened) && typeof opened.exp === 'number' && opened.exp > seconds(parts.clock())
  const offerLinkKey = parts.sealingKey('offer-link')
  const tagOf = (key: Uint8Array, text: string) => createHmac('sha256', secretKey(key)).update(text).digest('base64url')
  const isTag = (key: Uint8Array, text: string, tag: string) => {
    const [sent, made] = [Buffer.from(tag), Buffer.from(tagOf(key, text))]
    return sent.length === made.length && timingSafeEqual(sent, made)
  }
  /** The id alone for the first link, so earlier values stay valid. */
  const numbered = ({ offeringId, linkNumber }: OfferLink) =>
    linkNumber === 0 ? offeringId : `${offeringId}.${linkNumber}`
  const numberedLink = ([offeringId = '', number, ...others]: readonly string[]): OfferLink | undefined => {
    if (others.length > 0) return undefined
    return { offeringId, linkNumber: number === undefined ? 0 : Number(number) }
  }
  const dpopNonceKey = parts.sealingKey('dpop-nonce')
  const notificationKey = parts.sealingKey('notification-id')
  let given = { exp: 0, nonce: '' }
  return {
    /** A fresh code for a link of an offering. It may contain facts about the offering that never change. */
    preAuthorizedCode: ({ offeringId, linkNumber }: OfferLink, plain?: PreAuthorizedCode['plain']): string => {
      const exp = seconds(parts.clock()) + CODE_SECONDS
      const code: SealedCode = {
        o: offeringId,
        j: parts.newId(),
        exp,
        ...(linkNumber === 0 ? {} : { l: linkNumber }),
        ...(plain === undefined ? {} : { s: plain.hasSession }),
      }
      return seal(codeKey, code)
    },

    /** Opens a code. Undefined for a foreign or expired code. */
    openCode: (sealed: string): PreAuthorizedCode | undefined => {
      const code = open(codeKey, sealed)
      if (!isObject(code) || typeof code.o !== 'string' || typeof code.j !== 'string') return undefined
      if (typeof code.exp !== 'number' || code.exp <= seconds(parts.clock())) return undefined
      const plain = typeof code.s === 'boolean' ? { plain: { hasSession: code.s } } : {}
      const linkNumber = typeof code.l === 'number' ? code.l : 0
      return { offeringId: code.o, linkNumber, jti: code.j, expiresAt: new Date(code.exp * 1000), ...plain }
    },

    /** A `c_nonce` (OpenID4VCI 1.0 §7). The database is not written until the nonce is used. */
    nonce: (): string => seal(nonceKey, { exp: seconds(parts.clock()) + NONCE_SECONDS }),

    /** The time when a `c_nonce` was made; undefined for a foreign or expired nonce. */
    nonceIssuedAt: (sealed: string): Date | undefined => {
      const nonce = open(nonceKey, sealed)
      if (!isObject(nonce) || typeof nonce.exp !== 'number' || nonce.exp <= seconds(parts.clock())) return undefined
      return new Date((nonce.exp - NONCE_SECONDS) * 1000)
    },

    /**
     * The expiry of a `c_nonce` of this service, past or future. The expiry is always the same for one nonce, so the
     * row of a second use conflicts with the row of the first use.
     */
    nonceExpiresAt: (sealed: string): Date => {
      const nonce = open(nonceKey, sealed)
      if (!isObject(nonce) || typeof nonce.exp !== 'number')
        throw new TypeError('The nonce was not made by this service.')
      return new Date(nonce.exp * 1000)
    },

    /** The `issuer_state` of an offer (OpenID4VCI 1.0 §5.1.3), protected against forgery. It expires with the offer. */
    issuerState: (link: OfferLink): string => `${numbered(link)}.${tagOf(issuerStateKey, numbered(link))}`,

    /** The link of an `issuer_state`; undefined for a foreign `issuer_state`. */
    openIssuerState: (state: string): OfferLink | undefined => {
      const parts = state.split('.')
      const tag = parts.pop() ?? ''
      return parts.length > 0 && isTag(issuerStateKey, parts.join('.'), tag) ? numberedLink(parts) : undefined
    },

    /**
     * The last part of an offer's address. The first link has the id of the offering. Nobody can guess a later link from an earlier
     * one.
     */
    offerName: (link: OfferLink): string =>
      link.linkNumber === 0 ? link.offeringId : `${numbered(link)}.${tagOf(offerLinkKey, numbered(link))}`,

    /** The link of an offer's address; undefined for a forged address. */
    openOfferName: (name: string): OfferLink | undefined => {
      const parts = name.split('.')
      if (parts.length === 1) return { offeringId: name, linkNumber: 0 }
      const tag = parts.pop() ?? ''
      return parts.length === 2 && isTag(offerLinkKey, parts.join('.'), tag) ? numberedLink(parts) : undefined
    },

    /** A challenge for proofs of wallet attestations (Attestation-Based Client Authentication §8.1). */
    attestationChallenge: (): string => seal(challengeKey, { exp: seconds(parts.clock()) + NONCE_SECONDS }),

    isAttestationChallenge: (sealed: string): boolean => isFresh(open(challengeKey, sealed)),

    /**
     * A nonce for DPoP proofs (RFC 9449 §8). It is valid for any number of proofs until it expires. Every answer contains a
     * nonce, so all answers of one second share one nonce.
     */
    dpopNonce: (): string => {
      const exp = seconds(parts.clock()) + NONCE_SECONDS
      if (given.exp !== exp) given = { exp, nonce: seal(dpopNonceKey, { exp }) }
      return given.nonce
    },

    /** Whether a DPoP nonce was made by this service and has not expired. */
    isDpopNonce: (sealed: string): boolean => isFresh(open(dpopNonceKey, sealed)),

    /** The id of an issuance for the notification endpoint (OpenID4VCI 1.0 §11). */
    notificationId: (offeringId: string, credentialId: string): string => {
      const notification: SealedNotification = { o: offeringId, c: credentialId }
      return seal(notificationKey, notification)
    },

    openNotificationId: (sealed: string): { offeringId: string; credentialId: string } | undefined => {
      const notification = open(notificationKey, sealed)
      if (!isObject(notification) || typeof notification.o !== 'string' || typeof notification.c !== 'string')
        return undefined
      return { offeringId: notification.o, credentialId: notification.c }
    },
  }
}

export type Seals = ReturnType<typeof createSeals>
