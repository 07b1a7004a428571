import { z } from 'zod'
import { type BatchDone, batchDone, batchRow, expiredBatch, lockedBatch } from '../../../database/batch.js'
import type { Database } from '../../../database/connect.js'
import { type Fragment, fragment, Step } from '../../../database/fragment.js'
import { lockedBefore } from '../../../database/lock-order.js'
import { idRow, json, noRow } from '../../../database/row-shapes.js'
import { asMdocOfAny } from '../../schemas/store.js'
import { offeringColumns, offeringJoins, type WalletOffering } from '../offer-store.js'
import { zOffering } from '../rows.js'
import { withDates } from '../sessions/store.js'
import { allNew, type UsedOnce, usedOnce } from '../used-once-store.js'
import { type AuthorizationState, type KnownType, sourcesOf, type User } from './authorization.js'

const zState = z.enum(['Pushed', 'Started', 'SignedIn', 'Granted', 'Denied', 'Redeemed'])

const requestShape = {
  /** The request, encrypted by the vault. */
  parameters: z.string(),
  dpopJkt: z.string().nullable(),
  instanceJkt: z.string().nullable(),
  pushed: z.boolean(),
  userSub: z.string().nullable(),
  userDids: z.array(z.string()),
  codeExpiresAt: z.date().nullable(),
}

const zStoredAuthorization = z.strictObject({
  ...requestShape,
  id: z.string(),
  state: zState,
  offeringId: z.string().nullable(),
  claimsAtIssuance: z.boolean(),
  expiresAt: z.date(),
})

/** A row of `authorizations`. */
export type StoredAuthorization = z.infer<typeof zStoredAuthorization>

const zAuthorization = zStoredAuthorization.extend({
  /** An unfinished sign-in, encrypted by the vault. */
  login: z.string().nullable(),
  /** The user's name and claims, encrypted by the vault. */
  userClaims: z.string().nullable(),
})

/** A row of `authorizations` with its sign-in and claims, for the pages of a browser. */
export type VisitedAuthorization = z.infer<typeof zAuthorization>

/** An authorization with the offer of its code. */
export interface RedeemedAuthorization {
  readonly authorization: StoredAuthorization
  readonly offering: WalletOffering
}

const zRedeemed = zOffering.extend({
  ...requestShape,
  authorizationId: z.string(),
  authorizationState: zState,
  authorizationExpiresAt: z.date(),
})

export interface NewAuthorization {
  readonly id: string
  readonly clientId: string
  readonly parameters: string
  readonly dpopJkt: string | null
  readonly instanceJkt: string | null
  readonly requestUriHash: string | null
  readonly state: AuthorizationState
  readonly browserHash: string | null
  readonly userSub: string | null
  readonly expiresAt: Date
  readonly createdAt: Date
}

/** The visit of a browser with a `request_uri`. */
export interface Visit {
  readonly requestUriHash: string
  readonly clientId: string
  readonly browserHash: string
  /** The state and the user for a new browser. */
  readonly state: AuthorizationState & ('Started' | 'SignedIn')
  readonly userSub: string | null
  readonly expiresAt: Date
  readonly now: Date
}

export interface SignedIn {
  readonly id: string
  readonly browserHash: string
  readonly user: User
  /** The stored part of the user's claims, encrypted by the vault. */
  readonly userClaims: string
  readonly now: Date
}

const zLogin = z.strictObject({ login: z.string() })

/** Whether the claims of the offer of an authorization come from a claims source. */
const fromSource = fragment`
  EXISTS (SELECT 1 FROM offerings f WHERE f.id = authorizations.offering_id AND f.claims_at_issuance)`

const columns = fragment`
  id, state, parameters, dpop_jkt AS "dpopJkt", instance_jkt AS "instanceJkt",
  request_uri_hash IS NOT NULL AS pushed, offering_id AS "offeringId", ${fromSource} AS "claimsAtIssuance", login, user_sub AS "userSub", user_dids AS "userDids", user_claims AS "userClaims",
  code_expires_at AS "codeExpiresAt", expires_at AS "expiresAt"`

/** Condition of a transition: the state of the row allows the change to this state. */
export const from = (state: AuthorizationState) => fragment`state = ANY(${[...sourcesOf(state)]}::text[])`

/**
 * The step that inserts a request. `offer` has one row with the `id` of the offer, or with null for no offer. Inserts nothing
 * if a proof was used before.
 */
function insertion(
  authorization: NewAuthorization,
  offer: Fragment,
  once: Step<'hash'>,
  proofs: readonly UsedOnce[],
): Step<'id'> {
  const { id, clientId, parameters, dpopJkt, instanceJkt, requestUriHash, state } = authorization
  return new Step<'id'>(
    'inserted',
    fragment`
      INSERT INTO authorizations (id, client_id, parameters, dpop_jkt, instance_jkt, request_uri_hash, offering_id, state, browser_hash,
        user_sub, expires_at, created_at)
      SELECT ${id}, ${clientId}, ${parameters}, ${dpopJkt}, ${instanceJkt}, ${requestUriHash}, offer.id, ${state},
        ${authorization.browserHash}, ${authorization.userSub}, ${authorization.expiresAt}, ${authorization.createdAt}
      FROM (${offer}) offer WHERE ${allNew(once, proofs)} RETURNING id`,
  )
}

const zInserted = z.strictObject({ stored: z.boolean(), known: json<KnownType[]>() })

const zInsertedFor = zOffering.extend({ stored: z.boolean() })

export type AuthorizationStore = ReturnType<typeof createAuthorizationStore>

export function createAuthorizationStore({ sql }: Database) {
  return {
    /**
     * Stores a request that names no offer, if it names a known type. The same statement marks the proofs of the request as
     * used.
     *
     * @param types the types that the request names
     * @returns the known types. `stored` is false if no type is known, or a proof was used before.
     */
    async insert(
      authorization: NewAuthorization,
      types: readonly string[],
      proofs: readonly UsedOnce[],
    ): Promise<{ readonly stored: boolean; readonly known: readonly KnownType[] }> {
      const known = new Step<'name' | 'asMdoc'>(
        'known',
        fragment`
          SELECT name, bool_or(${asMdocOfAny}) AS "asMdoc" FROM schemas s
          WHERE name = ANY(${[...types]}::text[]) AND (withdrawn_at IS NULL OR offered_until > ${authorization.createdAt})
          GROUP BY name`,
      )
      const forNone = fragment`SELECT NULL::text AS id WHERE EXISTS (SELECT 1 FROM ${known})`
      const inserted = insertion(authorization, forNone, usedOnce(proofs, known), proofs)
      const [row] = await sql(zInserted)`
        SELECT EXISTS (SELECT 1 FROM ${inserted}) AS stored, (SELECT coalesce(json_agg(${known}), '[]') FROM ${known}) AS known`
      return row ?? { stored: false, known: [] }
    },

    /**
     * Stores a request for an offer, and reads the offer. The same statement marks the proofs of the request as used.
     *
     * @returns undefined if the offer does not exist; then nothing was stored.
     */
    async insertFor(
      offeringId: string,
      authorization: NewAuthorization,
      proofs: readonly UsedOnce[],
    ): Promise<{ readonly stored: boolean; readonly offering: WalletOffering } | undefined> {
      const chosen = new Step<'id'>(
        'chosen',
        fragment`SELECT o.id FROM (SELECT ${offeringId}::text AS id) wanted ${offeringJoins(fragment`wanted.id`)}`,
      )
      const inserted = insertion(authorization, fragment`SELECT id FROM ${chosen}`, usedOnce(proofs, chosen), proofs)
      const [row] = await sql(zInsertedFor)`
        SELECT EXISTS (SELECT 1 FROM ${inserted}) AS stored, ${offeringColumns}
        FROM ${chosen} ${offeringJoins(chosen.column('id'))}`
      if (row === undefined) return undefined
      const { stored, ...offering } = withDates(row)
      return { stored, offering }
    },

    /** Removes a request that was refused after it was stored. */
    async remove(id: string): Promise<void> {
      await sql(
        noRow,
      )`DELETE FROM authorizations WHERE id = ${id} AND state = ANY(${['Pushed', 'Started', 'SignedIn']}::text[])`
    },

    /**
     * Binds a pushed request to the browser that opens it. If the same browser opens the request again, the
     * authorization keeps its state. Another browser starts from the beginning. Returns undefined if the `request_uri`
     * is unknown, expired, of another client, or decided.
     */
    async visit(visit: Visit): Promise<StoredAuthorization | undefined> {
      const again = fragment`browser_hash IS NOT DISTINCT FROM ${visit.browserHash}`
      const [row] = await sql(zAuthorization)`
        UPDATE authorizations SET
          state = CASE WHEN ${again} THEN state ELSE ${visit.state} END,
          user_sub = CASE WHEN ${again} THEN user_sub ELSE ${visit.userSub} END,
          user_dids = CASE WHEN ${again} THEN user_dids ELSE '{}' END,
          login = CASE WHEN ${again} THEN login END,
          user_claims = CASE WHEN ${again} THEN user_claims END,
          expires_at = CASE WHEN browser_hash IS NULL THEN ${visit.expiresAt} ELSE expires_at END,
          browser_hash = ${visit.browserHash}
        WHERE request_uri_hash = ${visit.requestUriHash} AND client_id = ${visit.clientId} AND expires_at > ${visit.now}
          AND ${from('Started')}
        RETURNING ${columns}`
      return row
    },

    /** Whether a browser may open a pushed request. */
    async isPushed(requestUriHash: string, clientId: string, now: Date): Promise<boolean> {
      const rows = await sql(idRow)`
        SELECT id FROM authorizations
        WHERE request_uri_hash = ${requestUriHash} AND client_id = ${clientId} AND expires_at > ${now} AND ${from('Started')}`
      return rows.length > 0
    },

    /** An authorization of a browser, in any state. */
    async find(id: string, browserHash: string): Promise<VisitedAuthorization | undefined> {
      const [row] = await sql(zAuthorization)`
        SELECT ${columns} FROM authorizations WHERE id = ${id} AND browser_hash = ${browserHash}`
      return row
    },

    /**
     * Stores a new sign-in, unless there is an unfinished sign-in. All windows of one browser share the sign-in.
     * @returns the stored sign-in; undefined if no sign-in is expected any more.
     */
    async beginLogin(id: string, browserHash: string, login: string, now: Date): Promise<string | undefined> {
      const [row] = await sql(zLogin)`
        UPDATE authorizations SET login = COALESCE(login, ${login})
        WHERE id = ${id} AND browser_hash = ${browserHash} AND expires_at > ${now} AND state = 'Started' RETURNING login`
      return row?.login
    },

    /**
     * Removes a stored sign-in, so only one answer of the provider can end it.
     *
     * @returns false if another answer came first
     */
    async takeLogin(id: string, login: string, now: Date): Promise<boolean> {
      const rows = await sql(idRow)`
        UPDATE authorizations SET login = NULL
        WHERE id = ${id} AND login = ${login} AND expires_at > ${now} AND state = 'Started' RETURNING id`
      return rows.length > 0
    },

    /** Stores the user who signed in. @returns false if no sign-in is expected any more. */
    async signIn({ id, browserHash, user, userClaims, now }: SignedIn): Promise<boolean> {
      const rows = await sql(idRow)`
        UPDATE authorizations SET state = 'SignedIn', login = NULL, user_sub = ${user.sub}, user_dids = ${[...user.dids]}::text[],
          user_claims = ${userClaims}
        WHERE id = ${id} AND browser_hash = ${browserHash} AND expires_at > ${now} AND state = 'Started' RETURNING id`
      return rows.length > 0
    },

    /** The authorization of a code with its offer, whether or not the code was redeemed. */
    async byCode(codeHash: string): Promise<RedeemedAuthorization | undefined> {
      const [row] = await sql(zRedeemed)`
        SELECT a.id AS "authorizationId", a.state AS "authorizationState", a.parameters, a."dpopJkt", a."instanceJkt", a.pushed,
          a."userSub", a."userDids", a."codeExpiresAt", a."expiresAt" AS "authorizationExpiresAt", ${offeringColumns}
        FROM (SELECT ${columns} FROM authorizations WHERE code_hash = ${codeHash}) a ${offeringJoins(fragment`a."offeringId"`)}`
      if (row === undefined) return undefined
      const { authorizationId, authorizationState, authorizationExpiresAt, parameters, ...rest } = withDates(row)
      const { dpopJkt, instanceJkt, pushed, userSub, userDids, codeExpiresAt, ...offering } = rest
      return {
        authorization: {
          id: authorizationId,
          state: authorizationState,
          expiresAt: authorizationExpiresAt,
          offeringId: offering.offeringId,
          claimsAtIssuance: offering.claimsAtIssuance,
          parameters,
          dpopJkt,
          instanceJkt,
          pushed,
          userSub,
          userDids,
          codeExpiresAt,
        },
        offering,
      }
    },

    /**
     * RFC 6749 §4.1.2: when a code is used twice, the authorization ends and its tokens are revoked. A token that another
     * request stores at this moment is not deleted here. That token expires, because no token is valid for longer than
     * its authorization. If the wallet waits for a deferred credential, the session expires too.
     */
    async end(authorizationId: string, now: Date): Promise<void> {
      const session = new Step(
        'session',
        fragment`
          SELECT 1 FROM credential_offer_sessions
          WHERE id = (SELECT offering_id FROM authorizations WHERE id = ${authorizationId}) FOR UPDATE`,
      )
      const ended = new Step<'offering_id' | 'waits'>(
        'ended',
        fragment`
          UPDATE authorizations SET expires_at = LEAST(expires_at, ${now})
          WHERE id = ${authorizationId} AND ${lockedBefore(session)}
          RETURNING offering_id, redemption_counted AND credential_id IS NULL AS waits`,
      )
      const forsaken = new Step(
        'forsaken',
        fragment`
          UPDATE credential_offer_sessions x SET expires_at = LEAST(x.expires_at, ${now}) FROM ${ended}
          WHERE x.id = ${ended.column('offering_id')} AND ${ended.column('waits')}`,
      )
      const refresh = new Step(
        'refresh',
        fragment`DELETE FROM refresh_tokens WHERE authorization_id = ${authorizationId} AND ${lockedBefore(ended)}`,
      )
      await sql(noRow, [forsaken, refresh])`
        DELETE FROM issuance_tokens WHERE authorization_id = ${authorizationId} AND ${lockedBefore(ended)}`
    },

    /**
     * Removes at most `limit` authorizations that expired before a moment. This also removes their refresh tokens, and
     * unredeemed offerings that were made for these authorizations.
     */
    async removeExpired(before: Date, limit: number): Promise<BatchDone> {
      const removed = await sql(batchRow)`
        WITH due AS (${lockedBatch(expiredBatch('authorizations', 'id', before, limit))}),
        offerings_removed AS (
          DELETE FROM offerings o USING authorizations a
          WHERE a.id IN (SELECT key FROM due) AND o.id = a.offering_id AND o.of_authorization AND NOT o.is_session AND o.redemption_count = 0)
        DELETE FROM authorizations WHERE id IN (SELECT key FROM due) RETURNING expires_at AS at`
      return batchDone(removed, limit)
    },
  }
}
