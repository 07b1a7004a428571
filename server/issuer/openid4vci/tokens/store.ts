import { type BatchDone, batchDone, deletedBatch, deletedRow, expiredBatch } from '../../../database/batch.js'
import type { Database } from '../../../database/connect.js'
import { emptyFragment, type Fragment, fragment, Step } from '../../../database/fragment.js'
import { type Announce, recordedEvents } from '../../../events/store.js'
import type { ClaimsVault } from '../../../keys/claims/vault.js'
import type { HashedNames } from '../../../names/names.js'
import { revealedHashedNames, selectedHashedNames } from '../../../names/names-store.js'
import { statusesJson, type WatchedStatus } from '../../attestation-watch/watched.js'
import type { OnRefresh } from '../../issuance/active-sets.js'
import {
  contextColumns,
  type IssuanceContext,
  isSigned,
  issuerKey,
  offerRules,
  withOfferRules,
} from '../../issuance/store.js'
import { openSession } from '../admission-store.js'
import type { OfferProfile } from '../offer-profile.js'
import { offeringColumns, redeemable, revealedSubject, type WalletOffering } from '../offer-store.js'
import { zRefreshToken, zStored, zToken } from '../rows.js'
import type { CredentialOfferSession } from '../sessions/session.js'
import { movedSession, withDates } from '../sessions/store.js'
import { allNew, type UsedOnce, usedOnce } from '../used-once-store.js'
import { goodToken } from './good-token.js'

/** An access token with all data for issuing under it. */
export interface TokenContext extends IssuanceContext, WalletOffering {
  readonly tokenHash: string
  readonly tokenExpiresAt: Date
  /** Configurations that `authorization_details` named; may be empty. */
  readonly detailed: readonly string[]
  /** Configurations that `scope` named; may be empty. */
  readonly scoped: readonly string[]
  /** The number of the offer's link under which the token was issued. */
  readonly linkNumber: number
  /** Thumbprint of the key that the token is bound to (RFC 9449 §6); null for a Bearer token. */
  readonly dpopJkt: string | null
  /**
   * The authorization of the token; null if the token came from a pre-authorized code of an offer that is not deferred.
   */
  readonly authorizationId: string | null
  /** The end of the authorization. */
  readonly authorizationExpiresAt: Date | null
  /**
   * The number of refreshes of the authorization before the token, and until now. They are counted only for types whose
   * refreshes revoke earlier instances.
   */
  readonly generation: number
  readonly authorizationGeneration: number
  /** Whether the token's redemption was counted: at the first issuance, or when its wallet began to wait. */
  readonly counted: boolean
  /** The client of the authorization. */
  readonly clientId: string | null
  /** The user who signed in; null without sign-in. */
  readonly userSub: string | null
  /** The user's claims for the claims source, encrypted by the vault; null if there are none. */
  readonly userClaims: string | null
  readonly credentialId: string | null
  readonly credentialSubject: Readonly<Record<string, unknown>>
  /** Whether the credential under this token is stored and not revoked; null before the first issuance. */
  readonly credentialGood: boolean | null
  /** Whether this credential is suspended. */
  readonly credentialSuspended: boolean
  /** The statuses of the wallet attestation of the token request; null if there are none. */
  readonly walletStatuses: readonly WatchedStatus[] | null
  /** Whether a signed copy has the id of the stored credential. */
  readonly credentialSigned: boolean
  /** Whether the claims of the stored credential were erased. */
  readonly credentialErased: boolean
  /** The names of the offer, for the credential; null without names. */
  readonly names: HashedNames | null
}

/** The authorization of a new token. */
export type TokenAuthorization = {
  readonly id: string
} & (
  | {
      /** `code`: the token redeems its code. */
      readonly by: 'code'
      readonly refresh: NewRefreshToken
    }
  | {
      /** `pre-authorized-code`: the authorization begins with this token, because the offer is deferred. */
      readonly by: 'pre-authorized-code'
      readonly clientId: string | null
      readonly refresh: NewRefreshToken
    }
  | {
      /** `refresh`: the token is issued for a refresh token. With `rotation`, a new refresh token replaces that refresh token. */
      readonly by: 'refresh'
      /** Whether the refresh is counted, because instances under its token replace earlier instances. */
      readonly replacing: boolean
      readonly rotation?: { readonly replaces: string; readonly refresh: NewRefreshToken }
    }
)

export interface NewToken {
  readonly tokenHash: string
  /** The pre-authorized code of the token. Storing the token marks the code as used. */
  readonly code?: UsedOnce
  readonly offeringId: string
  /** The number of the offer's link: 0 for an offering without a session. */
  readonly linkNumber: number
  readonly detailed: readonly string[]
  readonly scoped: readonly string[]
  readonly dpopJkt: string | null
  /** The statuses of the wallet attestation; empty if there are none. */
  readonly walletStatuses: readonly WatchedStatus[]
  readonly expiresAt: Date
  /** Absent for a pre-authorized code of an offer that is not deferred. */
  readonly authorization?: TokenAuthorization
}

export interface NewRefreshToken {
  readonly tokenHash: string
  readonly dpopJkt: string | null
  /** Thumbprint of the attested wallet instance that gets the refresh token. */
  readonly instanceJkt: string | null
  readonly expiresAt: Date
}

/** A refresh token with its authorization and configurations. */
export interface StoredRefreshToken {
  readonly authorizationId: string
  /** The client that received the token; null if the client sent no client_id. */
  readonly clientId: string | null
  readonly offeringId: string
  /** The number of the offer's current link. */
  readonly linkNumber: number
  readonly profile: OfferProfile
  /** The configurations of the offering. */
  readonly offered: readonly string[]
  readonly detailed: readonly string[]
  readonly scoped: readonly string[]
  readonly dpopJkt: string | null
  readonly instanceJkt: string | null
  readonly expiresAt: Date
  /** Whether the token was used and replaced by another refresh token. */
  readonly replaced: boolean
  /** The type's choice for earlier instances; null for `keep`. */
  readonly onRefresh: OnRefresh | null
  /** Whether the claims of the offering or of the credential were erased. */
  readonly claimsErased: boolean
}

/**
 * The outcome of a token request. `used`: the code was used before. `replayed`: the proof was used before. `closed`:
 * the offering is closed.
 */
export type TokenOutcome = 'stored' | 'used' | 'replayed' | 'closed'

/**
 * The step that redeems an authorization code or replaces a refresh token, if the new token is for one of them. It
 * returns one row if the new token may be issued.
 */
function claimed({ authorization }: NewToken, ready: Step<'id'>, held: Step | undefined): Step<'id'> {
  const step = (body: Fragment) => new Step<'id'>('claimed', body)
  if (authorization === undefined) return step(fragment`SELECT NULL::text AS id`)
  const { id } = authorization
  const isReady = fragment`EXISTS (SELECT 1 FROM ${ready})`
  if (authorization.by === 'pre-authorized-code') return step(fragment`SELECT ${id}::text AS id WHERE ${isReady}`)
  if (authorization.by === 'code')
    return step(fragment`
      UPDATE authorizations SET state = 'Redeemed', expires_at = ${authorization.refresh.expiresAt}
      WHERE id = ${id} AND state = 'Granted' AND ${isReady} RETURNING id`)
  const { rotation } = authorization
  const isHeld = held === undefined ? isReady : fragment`EXISTS (SELECT 1 FROM ${held})`
  if (rotation === undefined) return step(fragment`SELECT id FROM authorizations WHERE id = ${id} AND ${isHeld}`)
  return step(fragment`
    UPDATE refresh_tokens SET replaced_at = now()
    WHERE token_hash = ${rotation.replaces} AND replaced_at IS NULL AND ${isHeld} RETURNING authorization_id AS id`)
}

/**
 * The locked authorization of a refresh that is counted, with the number of the refresh; undefined for any other token. It is
 * locked before the refresh token, as at the end of an authorization.
 */
function heldFor({ authorization }: NewToken, ready: Step<'id'>): Step<'id' | 'generation'> | undefined {
  if (authorization?.by !== 'refresh' || !authorization.replacing) return undefined
  return new Step<'id' | 'generation'>(
    'held',
    fragment`
      SELECT a.id, a.generation + 1 AS generation FROM authorizations a
      WHERE a.id = ${authorization.id} AND EXISTS (SELECT 1 FROM ${ready}) FOR NO KEY UPDATE`,
  )
}

/** The step that counts a refresh. */
const advanced = (held: Step<'id' | 'generation'>, claim: Step<'id'>): Step =>
  new Step(
    'advanced',
    fragment`
      UPDATE authorizations a SET generation = ${held.column('generation')} FROM ${held}, ${claim}
      WHERE a.id = ${held.column('id')}`,
  )

/**
 * The step that marks the pre-authorized code of a token as used. It returns one row if the code was unused, or if the
 * token needs no code.
 */
const usedCode = ({ code }: NewToken, ready: Step<'id'>): Step =>
  new Step(
    'code',
    code === undefined
      ? fragment`SELECT 1 AS used`
      : fragment`
          INSERT INTO used_nonces (hash, expires_at) SELECT ${code.hash}, ${code.expiresAt} FROM ${ready}
          ON CONFLICT DO NOTHING RETURNING 1 AS used`,
  )

/** The steps that insert the authorization that begins with a token, and its refresh token. */
function begun({ authorization, offeringId, detailed, scoped }: NewToken, token: Step<'authorization_id'>): Step[] {
  if (authorization === undefined) return []
  const refresh = authorization.by === 'refresh' ? authorization.rotation?.refresh : authorization.refresh
  if (refresh === undefined) return []
  const authorizationId = token.column('authorization_id')
  const refreshed = new Step(
    'refreshed',
    fragment`
      INSERT INTO refresh_tokens (token_hash, authorization_id, configuration_ids, scope, dpop_jkt, instance_jkt, expires_at)
      SELECT ${refresh.tokenHash}, ${authorizationId}, ${[...detailed]}::text[], ${[...scoped]}::text[],
        ${refresh.dpopJkt}, ${refresh.instanceJkt}, ${refresh.expiresAt} FROM ${token}`,
  )
  if (authorization.by !== 'pre-authorized-code') return [refreshed]
  const inserted = new Step(
    'begun',
    fragment`
      INSERT INTO authorizations (id, client_id, offering_id, state, expires_at)
      SELECT ${authorizationId}, ${authorization.clientId}, ${offeringId}, 'Redeemed', ${refresh.expiresAt} FROM ${token}`,
  )
  return [inserted, refreshed]
}

/** Access and refresh tokens. */
export function createTokenStore({ sql }: Database, claims: ClaimsVault, announce: Announce) {
  return {
    /**
     * Stores an access token and marks its code as used. If two requests use one code, only the first succeeds. The same
     * statement moves the offering's session.
     *
     * @param session the session after the transition; `unread` if the offering has a session that was not read
     */
    async insertToken(
      token: NewToken,
      session: CredentialOfferSession | 'unread' | null,
      proofs: readonly UsedOnce[],
      now: Date,
    ): Promise<TokenOutcome> {
      const { authorization } = token
      // After a redemption, later tokens of the same authorization may be issued even if the offering is closed.
      const redeemedBefore =
        authorization === undefined
          ? emptyFragment
          : fragment`OR o.claims_erased_at IS NULL AND EXISTS (
              SELECT 1 FROM authorizations a WHERE a.id = ${authorization.id} AND a.redemption_counted)`
      const locked = openSession(token, session !== null)
      const open = new Step<'id'>(
        'open',
        fragment`
          SELECT o.id FROM offerings o JOIN ${locked} ON ${locked.column('id')} = o.id
          WHERE (${redeemable(now)}) ${redeemedBefore}`,
      )
      const once = usedOnce(proofs, open)
      const ready = new Step<'id'>('ready', fragment`SELECT id FROM ${open} WHERE ${allNew(once, proofs)}`)
      const held = heldFor(token, ready)
      const claim = claimed(token, ready, held)
      const generation = held === undefined ? fragment`0` : fragment`(SELECT generation FROM ${held})`
      const stored = new Step<'authorization_id'>(
        'token',
        fragment`
          INSERT INTO issuance_tokens (token_hash, offering_id, configuration_ids, scope, dpop_jkt, expires_at,
            link_number, generation, authorization_id, wallet_statuses)
          SELECT ${token.tokenHash}, ${ready.column('id')}, ${[...token.detailed]}::text[], ${[...token.scoped]}::text[],
            ${token.dpopJkt}, ${token.expiresAt}, ${token.linkNumber}::int, ${generation}, ${claim.column('id')}, ${statusesJson(token.walletStatuses)}::json
          FROM ${ready}, ${claim}, ${usedCode(token, ready)}
          RETURNING authorization_id`,
      )
      const unread = { id: token.offeringId, state: 'TokenIssued', errorMessage: null } as const
      const transitions = movedSession(session === 'unread' ? unread : session, now, stored)
      const also = held === undefined ? [] : [advanced(held, claim)]
      const [row] = await sql(zStored, [...begun(token, stored), ...also])`
        SELECT EXISTS (SELECT 1 FROM ${stored}) AS stored, EXISTS (SELECT 1 FROM ${open}) AS open,
          ${allNew(once, proofs)} AS fresh, ${recordedEvents(transitions)}`
      announce(row?.recorded)
      if (row?.stored === true) return 'stored'
      if (row?.open === true && !row.fresh) return 'replayed'
      return row?.open === true ? 'used' : 'closed'
    },

    async refreshToken(tokenHash: string): Promise<StoredRefreshToken | undefined> {
      const [row] = await sql(zRefreshToken)`
        SELECT a.id AS "authorizationId", a.client_id AS "clientId", a.offering_id AS "offeringId", COALESCE(x.link_number, 0) AS "linkNumber", o.profile,
          o.configuration_ids AS offered, r.configuration_ids AS detailed, r.scope AS scoped, r.dpop_jkt AS "dpopJkt",
          r.instance_jkt AS "instanceJkt",
          LEAST(r.expires_at, a.expires_at) AS "expiresAt",
          r.replaced_at IS NOT NULL AS replaced, s.on_refresh AS "onRefresh",
          o.claims_erased_at IS NOT NULL OR c.claims_erased_at IS NOT NULL AS "claimsErased"
        FROM refresh_tokens r JOIN authorizations a ON a.id = r.authorization_id JOIN offerings o ON o.id = a.offering_id
        JOIN schemas s ON s.id = o.schema_id
        LEFT JOIN credential_offer_sessions x ON x.id = o.id
        LEFT JOIN credentials c ON c.id = a.credential_id
        WHERE r.token_hash = ${tokenHash}`
      return row
    },

    /**
     * The token with its context. The same statement marks its proof as used. `proven`: the proof was made with the token's key
     * and was not used before. Undefined for an expired token. Because of the LIMIT, PostgreSQL expects at most one
     * row. Otherwise PostgreSQL assumes one row in each partition, and plans the statement again each time.
     */
    async token(
      tokenHash: string,
      proof: { readonly jkt: string; readonly once: readonly UsedOnce[] } | undefined,
      now: Date,
    ): Promise<(TokenContext & { readonly proven: boolean }) | undefined> {
      const bound = new Step(
        'bound',
        fragment`
          SELECT 1 FROM issuance_tokens WHERE ${goodToken(tokenHash, now)} AND dpop_jkt = ${proof?.jkt ?? null}::text`,
      )
      const [row] = await sql(zToken)`
        SELECT ${proof === undefined ? fragment`false` : allNew(usedOnce(proof.once, bound), proof.once)} AS proven, ${contextColumns}, ${offeringColumns}, o.credential_subject AS "credentialSubject",
          ${claims.keyOf('offerings.credential_subject', fragment`o.id`)} AS "subjectKey", t.token_hash AS "tokenHash",
          LEAST(t.expires_at, a.expires_at) AS "tokenExpiresAt", t.configuration_ids AS detailed, t.scope AS scoped, t.link_number AS "linkNumber", t.dpop_jkt AS "dpopJkt",
          t.authorization_id AS "authorizationId", a.expires_at AS "authorizationExpiresAt", a.client_id AS "clientId",
          a.user_sub AS "userSub", a.user_claims AS "userClaims",
          COALESCE(a.redemption_counted, t.credential_id IS NOT NULL) AS counted, COALESCE(a.credential_id, t.credential_id) AS "credentialId",
          CASE WHEN COALESCE(a.credential_id, t.credential_id) IS NULL THEN NULL ELSE c.id IS NOT NULL AND c.revoked_at IS NULL END AS "credentialGood",
          c.suspended_at IS NOT NULL AS "credentialSuspended",
          t.wallet_statuses AS "walletStatuses", ${isSigned} AS "credentialSigned", c.claims_erased_at IS NOT NULL AS "credentialErased",
          ${selectedHashedNames(claims, 'offerings.names', fragment`o`)},
          ${offerRules}, t.generation, COALESCE(a.generation, 0) AS "authorizationGeneration"
        FROM (SELECT * FROM issuance_tokens WHERE ${goodToken(tokenHash, now)} LIMIT 1) t
        JOIN offerings o ON o.id = t.offering_id
        JOIN schemas s ON s.id = o.schema_id
        JOIN issuers i ON i.id = o.issuer_id
        ${issuerKey}
        LEFT JOIN credential_offer_sessions x ON x.id = o.id
        LEFT JOIN authorizations a ON a.id = t.authorization_id
        LEFT JOIN credentials c ON c.id = COALESCE(a.credential_id, t.credential_id)
        WHERE t.authorization_id IS NULL OR a.id IS NOT NULL`
      if (row === undefined) return undefined
      const offered = withOfferRules(revealedSubject(claims, withDates(row)))
      return revealedHashedNames(claims, { column: 'offerings.names', id: row.offeringId }, offered)
    },

    /** Removes at most `limit` tokens that expired before a moment and lie outside the partitions of their time. */
    async removeTokens(before: Date, limit: number): Promise<BatchDone> {
      const removed = await sql(
        deletedRow,
      )`${deletedBatch(expiredBatch('issuance_tokens_default', 'token_hash', before, limit))}`
      return batchDone(removed, limit)
    },
  }
}
