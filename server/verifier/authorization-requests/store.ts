import { z } from 'zod'
import { coalesced } from '../../database/coalesce.js'
import type { Database } from '../../database/connect.js'
import { type Fragment, fragment } from '../../database/fragment.js'
import { json, publicJwk, x5c } from '../../database/row-shapes.js'
import { currentKey } from '../../keys/store.js'
import type { VpQueryItem } from '../../protocol/openid4vp/query/vp-query.js'

/** A registration certificate of the verifier, and what the last look at it has found. */
export interface ContextRegistration {
  readonly id: string
  readonly certificate: string
  readonly status: string | null
  /** ISO 8601 */
  readonly checkedAt: string | null
  readonly failedCheck: string | null
  readonly failure: string | null
}

const zRequestContext = z.strictObject({
  verifierDid: z.string(),
  keyId: z.string(),
  publicJwk,
  /** The chain of that key's certificate, without the root. */
  x5c,
  /** The registration certificates of the verifier, the newest first. */
  registrations: json<ContextRegistration[]>(),
  /** Names of the credential types of this installation. */
  typeNames: z.array(z.string()),
  /** The stored VP query that the caller named; null if none. */
  query: json<VpQueryItem[]>().nullable(),
  /** The purpose of this VP query; null if none. */
  purpose: z.string().nullable(),
})

/** The verifier that asks, and its current signing key. */
export type RequestContext = z.infer<typeof zRequestContext>

/** A verifier record by its id or DID. A caller may use their own records and the default record. */
export interface NamedVerifier {
  readonly verifierId: string
  readonly sub: string
}

export type AuthorizationRequestStore = ReturnType<typeof createAuthorizationRequestStore>

export function createAuthorizationRequestStore({ sql }: Database) {
  const contextOf = async (verifier: Fragment, vpQueryId: string | null): Promise<RequestContext | undefined> => {
    const [row] = await sql(zRequestContext)`
      SELECT v.did AS "verifierDid", k.id AS "keyId", k.public_jwk AS "publicJwk", k.x5c,
        coalesce((
          SELECT json_agg(json_build_object('id', r.id, 'certificate', r.certificate, 'status', r.status, 'checkedAt', r.checked_at,
            'failedCheck', r.failed_check, 'failure', r.failure) ORDER BY r.issued_at DESC, r.id)
          FROM registration_certificates r WHERE r.verifier_id = v.id), '[]'::json) AS registrations,
        ARRAY(SELECT DISTINCT s.name FROM schemas s ORDER BY s.name) AS "typeNames",
        q.query, q.purpose
      FROM verifiers v
      LEFT JOIN vp_queries q ON q.id = ${vpQueryId}
      ${currentKey(fragment`v.key_set_id`)}
      WHERE ${verifier}`
    return row
  }

  /** The context of most requests. Simultaneous requests share a statement. */
  const ofDefault = coalesced(async ([key = '']) => {
    const context = await contextOf(fragment`v.is_default`, null)
    return new Map(context === undefined ? [] : [[key, context]])
  })

  return {
    /** All data for a new request, in one statement; undefined if the verifier does not exist. */
    async context(verifier: NamedVerifier | undefined, vpQueryId: string | null): Promise<RequestContext | undefined> {
      if (verifier === undefined)
        return vpQueryId === null ? ofDefault('') : contextOf(fragment`v.is_default`, vpQueryId)
      const { verifierId, sub } = verifier
      return contextOf(
        fragment`(v.id = ${verifierId} OR v.did = ${verifierId}) AND (v.is_default OR v.created_by = ${sub})`,
        vpQueryId,
      )
    },
  }
}
