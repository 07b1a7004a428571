import { z } from 'zod'
import { audited } from '../database/audited.js'
import { type BatchDone, batchDone, deletedBatch, deletedRow, expiredBatch } from '../database/batch.js'
import type { Database } from '../database/connect.js'
import { type Fragment, fragment, Step } from '../database/fragment.js'
import { idRow, json, noRow, storedClaims } from '../database/row-shapes.js'
import type { Retention } from '../issuer/issuance/retention.js'
import { offeringColumns } from '../issuer/openid4vci/offer-store.js'
import { zOffering } from '../issuer/openid4vci/rows.js'
import type { CredentialOfferState } from '../issuer/openid4vci/sessions/session.js'
import { withDates } from '../issuer/openid4vci/sessions/store.js'
import type { ClaimNames, SchemaDisplay } from '../issuer/schemas/store.js'
import { type ClaimsVault, forgottenKeys } from '../keys/claims/vault.js'
import { namesShape, revealedRequestTexts } from '../names/names-store.js'
import type { Face } from '../pages/brand.js'
import { insertPage, insertPageOnDemand, type NewPage, protectedTexts } from '../pages/store.js'
import { SESSION_STATES, zSession } from '../verifier/sessions/session.js'
import { sessionColumns } from '../verifier/sessions/store.js'

interface StoredTexts {
  readonly texts?: unknown
  readonly textsKey: string | null
}

interface ShownTexts {
  readonly title: string | null
  readonly text: string | null
}

/** A row with the decrypted texts of its page. */
type WithTexts<Row> = Omit<Row, 'texts' | 'textsKey'> & {
  readonly pageTitle: string | null
  readonly pageText: string | null
}

/** Names, logos and branding of an issuer or verifier. */
const zFace = json<Face>()

/** The newest version of a requested type that this installation defines. */
export interface AskedType {
  readonly name: string
  readonly title: string | null
  readonly display: readonly SchemaDisplay[] | null
  readonly body: Readonly<Record<string, unknown>>
  readonly claims: readonly ClaimNames[] | null
}

const zPresentPage = zSession.extend({
  ...namesShape,
  texts: storedClaims,
  textsKey: z.string().nullable(),
  inQrCode: z.boolean(),
  /** Whether the claims were erased: then the answer is not stored. */
  claimsErased: z.boolean(),
  /** Hash of the browser that opened the page first, which may be the current browser. */
  browserHash: z.string().nullable(),
  /** Whether this request has just bound the page to its browser. */
  bound: z.boolean(),
  /** The address that opens a wallet; empty if there is none. */
  address: z.string(),
  verifier: zFace,
  types: z.array(z.custom<AskedType>((value) => typeof value === 'object' && value !== null)),
})

/** A session, with the further data that its page shows. The page never shows its names. */
export type PresentPage = WithTexts<Omit<z.infer<typeof zPresentPage>, 'names' | 'namesKey'>> & {
  readonly purpose: string | null
}

const zReturn = z.strictObject({
  texts: storedClaims,
  textsKey: z.string().nullable(),
  browserHash: z.string().nullable(),
  responseCodeHash: z.string().nullable(),
  state: z.enum(SESSION_STATES),
  errorMessage: z.string().nullable(),
  redirectUri: z.string().nullable(),
  requireResponseCode: z.boolean(),
  verifier: zFace,
})

/** The data that decide whether a browser may continue when it comes back from a wallet. */
export type StoredReturn = WithTexts<z.infer<typeof zReturn>>

const zReceivePage = z.strictObject({
  ...zOffering.shape,
  texts: storedClaims,
  textsKey: z.string().nullable(),
  inQrCode: z.boolean(),
  walletUrl: z.string().nullable(),
  schemaTitle: z.string().nullable(),
  schemaBody: json(),
  schemaClaims: json<ClaimNames[]>().nullable(),
  schemaDisplay: json<SchemaDisplay[]>().nullable(),
  retention: json<Retention>().nullable(),
  issuer: zFace,
  /** Hash of the browser that opened the page first, which may be the current browser. */
  browserHash: z.string().nullable(),
  /** Whether this request has just bound the page to its browser. */
  bound: z.boolean(),
})

const zTarget = z.strictObject({ sessionId: z.string(), expiresAt: z.date(), browserHash: z.string().nullable() })

/** The session of a page, when it expires, and the hash of the browser that opened the page first. */
export type PageTarget = z.infer<typeof zTarget>

/** The states of an offer before a wallet begins to take it. */
const UNTAKEN_STATES: readonly CredentialOfferState[] = ['Created', 'OfferRetrieved']

/** The newest version of each type that a page `p` names, as JSON. */
const askedTypes = fragment`
  (SELECT coalesce(json_agg(t), '[]') FROM (
    SELECT DISTINCT ON (c.name) c.name, c.title, c.display, c.body, c.claims FROM schemas c
    WHERE c.name = ANY(p.type_names) ORDER BY c.name, c.version DESC) t)`

/** The face of the issuer or verifier with an alias. All members are null if there is no record. */
const faceOf = (record: Fragment) =>
  fragment`json_build_object('display', ${record}.display, 'branding', ${record}.branding)`

const presentColumnsWith = (claims: ClaimsVault) => fragment`
  s.*, p.texts, ${claims.keyOf('pages.texts', fragment`p.id`)} AS "textsKey", p.in_qr_code AS "inQrCode", ${faceOf(fragment`v`)} AS verifier,
  ${claims.keyOf('verification_sessions.names', fragment`s.id`)} AS "namesKey", ${askedTypes} AS types`

const presentTables = fragment`
  pages p JOIN (SELECT ${sessionColumns}, names, claims_erased_at IS NOT NULL AS "claimsErased", first_view ->> 'authorizationRequestUri' AS address FROM verification_sessions) s
    ON s.id = p.verification_session_id
  LEFT JOIN verifiers v ON v.did = s."verifierId"`

const receiveColumnsWith = (claims: ClaimsVault) => fragment`
  ${offeringColumns}, p.texts, ${claims.keyOf('pages.texts', fragment`p.id`)} AS "textsKey", p.in_qr_code AS "inQrCode", x.wallet_url AS "walletUrl",
  s.title AS "schemaTitle", s.display AS "schemaDisplay", s.body AS "schemaBody", s.claims AS "schemaClaims", s.retention, ${faceOf(fragment`i`)} AS issuer`

const receiveTables = fragment`
  pages p JOIN offerings o ON o.id = p.offering_id JOIN schemas s ON s.id = o.schema_id JOIN issuers i ON i.id = o.issuer_id
  LEFT JOIN credential_offer_sessions x ON x.id = o.id`

export type PageStore = ReturnType<typeof createPageStore>

export function createPageStore({ sql }: Database, claims: ClaimsVault) {
  const presentColumns = presentColumnsWith(claims)
  const receiveColumns = receiveColumnsWith(claims)

  /** Decrypts the texts of the page with an id. */
  const withTexts = <Row extends StoredTexts>(id: string, { texts, textsKey, ...row }: Row): WithTexts<Row> => {
    const shown = claims.reveal<ShownTexts>({ column: 'pages.texts', id }, texts, textsKey)
    return { ...row, pageTitle: shown?.title ?? null, pageText: shown?.text ?? null }
  }

  /** Decrypts the purpose of the request, and leaves out its names. */
  const withPurpose = (row: WithTexts<z.infer<typeof zPresentPage>>): PresentPage => {
    const { names: _, ...shown } = revealedRequestTexts(
      claims,
      { column: 'verification_sessions.names', id: row.id },
      row,
    )
    return shown
  }

  /** Stores the texts of a page. The texts of an offering or session whose claims were erased stay erased. */
  const retext = async (id: string, page: NewPage): Promise<void> => {
    const texts = protectedTexts(claims, id, page)
    const kept = new Step(
      'kept',
      'offeringId' in page
        ? fragment`SELECT id FROM offerings WHERE id = ${page.offeringId} AND claims_erased_at IS NULL FOR SHARE`
        : fragment`
            SELECT id FROM verification_sessions WHERE id = ${page.verificationSessionId} AND claims_erased_at IS NULL FOR SHARE`,
    )
    const changed = new Step<'id'>(
      'retexted',
      fragment`
        UPDATE pages p SET texts = ${texts?.json ?? null}::json FROM ${kept} WHERE p.id = ${id} RETURNING p.id`,
    )
    const keys = texts === undefined ? [forgottenKeys('pages.texts', changed)] : claims.storeKeys([texts], changed)
    await sql(idRow, keys)`SELECT id FROM ${changed}`
  }

  return {
    /** @returns the id of the new page, or of the existing page. */
    async create(page: NewPage, actor: string): Promise<string> {
      const [subject, target] =
        'offeringId' in page ? ['offering', page.offeringId] : ['verification-session', page.verificationSessionId]
      const made = insertPage(claims, { ...page, title: undefined, text: undefined })
      const recorded = audited({ of: made, actor, action: 'page.created', subject, subjectId: target })
      const [row] = await sql(idRow, [recorded])`SELECT id FROM ${made}`
      if (row === undefined) throw new Error('A page was neither made nor found.')
      if (row.id !== page.id || page.title !== undefined || page.text !== undefined) await retext(row.id, page)
      return row.id
    },

    /** Creates a page unless a page with this id exists. */
    async createOnDemand(page: NewPage): Promise<void> {
      await sql(noRow)`${insertPageOnDemand(page)}`
    },

    /**
     * The page of a request. While the request is open, the page is bound to the first browser that opens it.
     *
     * @param browserHash the hash of the browser that opens the page now; undefined if no browser opens it
     */
    async present(id: string, browserHash: string | undefined, now: Date): Promise<PresentPage | undefined> {
      if (browserHash === undefined) {
        const [row] = await sql(zPresentPage)`
          SELECT ${presentColumns}, p.browser_hash AS "browserHash", false AS bound FROM ${presentTables} WHERE p.id = ${id}`
        return row && withPurpose(withTexts(id, row))
      }
      const [row] = await sql(zPresentPage)`
        WITH bound AS (
          UPDATE pages SET browser_hash = ${browserHash}
          WHERE id = ${id} AND browser_hash IS NULL AND EXISTS (
            SELECT 1 FROM verification_sessions o
            WHERE o.id = pages.verification_session_id AND o.ended_at IS NULL AND o.expires_at > ${now})
          RETURNING browser_hash)
        SELECT ${presentColumns}, coalesce(b.browser_hash, p.browser_hash) AS "browserHash", b.browser_hash IS NOT NULL AS bound
        FROM ${presentTables} LEFT JOIN bound b ON true WHERE p.id = ${id}`
      return row && withPurpose(withTexts(id, row))
    },

    async returned(id: string): Promise<StoredReturn | undefined> {
      const [row] = await sql(zReturn)`
        SELECT p.texts, ${claims.keyOf('pages.texts', fragment`p.id`)} AS "textsKey", p.browser_hash AS "browserHash", s.response_code_hash AS "responseCodeHash", s.state,
          s.error_message AS "errorMessage", s.redirect_uri AS "redirectUri", s.require_response_code AS "requireResponseCode",
          ${faceOf(fragment`v`)} AS verifier
        FROM pages p JOIN verification_sessions s ON s.id = p.verification_session_id LEFT JOIN verifiers v ON v.did = s.verifier_id
        WHERE p.id = ${id}`
      return row && withTexts(id, row)
    },

    /**
     * The page of an offer or an offering. The page of an offer is bound to the first browser that opens it before a wallet begins to take
     * the offer.
     *
     * @param browserHash the hash of the browser that opens the page now; undefined if no browser opens it
     */
    async receive(id: string, browserHash: string | undefined, now: Date) {
      if (browserHash === undefined) {
        const [row] = await sql(zReceivePage)`
          SELECT ${receiveColumns}, p.browser_hash AS "browserHash", false AS bound
          FROM ${receiveTables} WHERE p.id = ${id} AND o.is_session = (x.id IS NOT NULL)`
        return row === undefined ? undefined : withTexts(id, withDates(row))
      }
      const [row] = await sql(zReceivePage)`
        WITH bound AS (
          UPDATE pages SET browser_hash = ${browserHash}
          WHERE id = ${id} AND browser_hash IS NULL AND EXISTS (
            SELECT 1 FROM credential_offer_sessions n
            WHERE n.id = pages.offering_id AND n.state = ANY(${UNTAKEN_STATES}) AND n.expires_at > ${now})
          RETURNING browser_hash)
        SELECT ${receiveColumns}, coalesce(b.browser_hash, p.browser_hash) AS "browserHash", b.browser_hash IS NOT NULL AS bound
        FROM ${receiveTables} LEFT JOIN bound b ON true WHERE p.id = ${id} AND o.is_session = (x.id IS NOT NULL)`
      return row === undefined ? undefined : withTexts(id, withDates(row))
    },

    /** The verification session of a page. */
    async presentTarget(id: string): Promise<PageTarget | undefined> {
      const [row] = await sql(zTarget)`
        SELECT s.id AS "sessionId", s.expires_at AS "expiresAt", p.browser_hash AS "browserHash"
        FROM pages p JOIN verification_sessions s ON s.id = p.verification_session_id WHERE p.id = ${id}`
      return row
    },

    /** The credential-offer session of a page. */
    async receiveTarget(id: string): Promise<PageTarget | undefined> {
      const [row] = await sql(zTarget)`
        SELECT x.id AS "sessionId", x.expires_at AS "expiresAt", p.browser_hash AS "browserHash"
        FROM pages p JOIN credential_offer_sessions x ON x.id = p.offering_id WHERE p.id = ${id}`
      return row
    },

    /** Deletes expired pages, at most `limit`. */
    async removeExpired(now: Date, limit: number): Promise<BatchDone> {
      return batchDone(await sql(deletedRow)`${deletedBatch(expiredBatch('pages', 'id', now, limit))}`, limit)
    },
  }
}

/** The data of the page of an offer. */
export type ReceivePage = NonNullable<Awaited<ReturnType<PageStore['receive']>>>
