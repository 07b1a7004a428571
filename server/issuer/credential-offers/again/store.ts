import { z } from 'zod'
import { audited } from '../../../database/audited.js'
import type { Database } from '../../../database/connect.js'
import { emptyFragment, type Fragment, fragment, Step } from '../../../database/fragment.js'
import { madeBy } from '../../../database/made-by.js'
import { storedClaims } from '../../../database/row-shapes.js'
import { type Announce, eventRow } from '../../../events/store.js'
import { type ClaimsVault, forgottenKeys, type ProtectedClaims } from '../../../keys/claims/vault.js'
import type { Names } from '../../../names/names.js'
import { namesShape, selectedNames } from '../../../names/names-store.js'
import { type NewPage, type PageTexts, protectedTexts } from '../../../pages/store.js'
import { offeringColumns, offeringJoins, type WalletOffering } from '../../openid4vci/offer-store.js'
import { zOffering } from '../../openid4vci/rows.js'
import { protectedSealed, revealedSealed } from '../../openid4vci/sessions/confidential.js'
import { CANCELLED, isTxCodeLocked, UNREDEEMED_STATES } from '../../openid4vci/sessions/session.js'
import {
  movedColumns,
  movedStep,
  type StoredSession,
  sessionEvent,
  withDates,
} from '../../openid4vci/sessions/store.js'
import { TX_CODE_ATTEMPTS, TX_CODE_LOCKED, type TxCodeDescription } from '../../openid4vci/tx-code.js'

/** The columns of `againColumns`. */
export const zOfferAgain = z.strictObject({
  ...zOffering.shape,
  walletUrl: z.string().nullable(),
  withdrawn: z.boolean(),
  batchCancelled: z.boolean(),
  firstExpiresAt: z.date(),
  confidential: storedClaims,
  confidentialKey: z.string().nullable(),
  pageId: z.string().nullable(),
  inQrCode: z.boolean().nullable(),
  texts: storedClaims,
  textsKey: z.string().nullable(),
  batchId: z.string().nullable(),
  batchConfidential: storedClaims,
  batchKey: z.string().nullable(),
  ...namesShape,
})

/** The names of an offer. `key`: the creator's key for an offer of a batch. */
interface NamesWithKey extends Names {
  readonly key?: string
}

/** The share page of an offer. */
export interface OfferPage extends PageTexts {
  readonly id: string
  readonly inQrCode: boolean
}

/** A credential offer with everything that its creator received. */
export interface OfferAgain {
  readonly offering: WalletOffering
  readonly session: StoredSession
  /** The sealed confidential data of the session. */
  readonly sealed: string | undefined
  /** The batch that was cancelled together with the offer, with its sealed reason. */
  readonly cancelledBatch: { readonly id: string; readonly sealed: string | undefined } | undefined
  /** The names that the creator gave the offer, and its key in a batch; null without names. */
  readonly names: NamesWithKey | null
  readonly walletUrl: string | null
  /** Whether the version of the type is withdrawn. Metadata list it only until its last offer expires. */
  readonly withdrawn: boolean
  /** Whether the offer belongs to a cancelled batch. */
  readonly batchCancelled: boolean
  /** When the offer expired before any resend. */
  readonly firstExpiresAt: Date
  readonly page: OfferPage | undefined
}

/** A new transaction code. */
export interface NewCode {
  readonly code: string
  readonly description: TxCodeDescription
  readonly hash: string
  /** The sealed code. */
  readonly sealed: string
}

/** A new link of an offer. */
export interface NewLink {
  /** The session as it was read. */
  readonly session: StoredSession
  readonly expiresAt: Date
  /** Replaces the transaction code; undefined if the earlier code stays valid. */
  readonly txCode: NewCode | undefined
  /** Replaces the share page; undefined if the offer has none. */
  readonly page: NewPage | undefined
  readonly actor: string | null
  readonly now: Date
}

/** A cancelled offer. */
export interface Cancellation {
  readonly id: string
  /** The sealed reason; undefined without a reason. */
  readonly sealed: string | undefined
  readonly actor: string | null
  readonly now: Date
}

/** Condition: a wallet could still take the offer of a session. A redemption that a waiting wallet counted is not looked at. */
export const takeable = (now: Date): Fragment => fragment`
  state = ANY(${[...UNREDEEMED_STATES]}::text[]) AND expires_at > ${now} AND tx_code_attempts < ${TX_CODE_ATTEMPTS}::int`

/**
 * Condition: the transaction code of an offer is locked, and its batch is not cancelled. The lock of the batch makes a cancellation
 * wait, so the cancellation then finds the open offer.
 */
function unlockable(id: string, now: Date): Fragment {
  const batch = new Step(
    'batch',
    fragment`
      SELECT b.id FROM offerings o JOIN offer_batches b ON b.id = o.batch_id
      WHERE o.id = ${id} AND b.cancelled_at IS NULL FOR SHARE OF b`,
  )
  return fragment`
    state = 'Error' AND error_message = ${TX_CODE_LOCKED} AND expires_at > ${now} AND (EXISTS (SELECT 1 FROM ${batch})
      OR NOT EXISTS (SELECT 1 FROM offerings o WHERE o.id = ${id} AND o.batch_id IS NOT NULL))`
}

/** The steps that replace the share pages of an offer by one page with a new address. */
function newPage(page: NewPage, texts: ProtectedClaims | undefined, resent: Step<'id'>): Step {
  const removed = new Step(
    'page_removed',
    fragment`
      DELETE FROM pages p USING ${resent} WHERE p.offering_id = ${resent.column('id')} RETURNING p.offering_id, p.made_by`,
  )
  return new Step(
    'page_made',
    fragment`
      INSERT INTO pages (id, kind, offering_id, made_by, texts, type_names, in_qr_code, created_at, expires_at)
      SELECT ${page.id}, 'receive', offering_id, made_by, ${texts?.json ?? null}::json, ${[...page.typeNames]}::text[],
        ${page.inQrCode}::boolean, ${page.createdAt}::timestamptz, ${page.expiresAt}::timestamptz
      FROM ${removed}`,
  )
}

/** The columns of an offer with everything that its creator received. `againJoins` has the tables. */
export const againColumns = (claims: ClaimsVault): Fragment => fragment`
  ${offeringColumns}, x.wallet_url AS "walletUrl", s.withdrawn_at IS NOT NULL AS withdrawn,
  EXISTS (SELECT 1 FROM offer_batches c WHERE c.id = o.batch_id AND c.cancelled_at IS NOT NULL) AS "batchCancelled",
  (x.first_view ->> 'expiresAt')::timestamptz AS "firstExpiresAt",
  x.confidential, ${claims.keyOf('credential_offer_sessions.confidential', fragment`x.id`)} AS "confidentialKey",
  p.id AS "pageId", p.in_qr_code AS "inQrCode", p.texts, ${claims.keyOf('pages.texts', fragment`p.id`)} AS "textsKey",
  b.id AS "batchId", b.confidential AS "batchConfidential", ${claims.keyOf('offer_batches.confidential', fragment`b.id`)} AS "batchKey",
  ${selectedNames(claims, 'offerings.names', fragment`o`)}`

/** Joins the offer with an id, its page, and the batch that was cancelled together with it. */
export const againJoins = (id: Fragment): Fragment => fragment`
  ${offeringJoins(id)}
  LEFT JOIN pages p ON p.offering_id = x.id AND p.made_by = x.created_by
  LEFT JOIN offer_batches b ON b.id = o.batch_id AND b.cancelled_at = x.ended_at AND x.error_message = ${CANCELLED}`

/** Reads an offer from its columns; undefined for an offering without a session. */
export function offerAgainOf(claims: ClaimsVault, row: z.infer<typeof zOfferAgain>): OfferAgain | undefined {
  const { walletUrl, withdrawn, batchCancelled, firstExpiresAt, confidential, confidentialKey, ...others } = row
  const { pageId, inQrCode, texts, textsKey, batchId, batchConfidential, batchKey, names, namesKey, ...rest } = others
  const offering = withDates(rest)
  const { session } = offering
  if (session === null) return undefined
  const told =
    pageId === null ? null : claims.reveal<Nulled<PageTexts>>({ column: 'pages.texts', id: pageId }, texts, textsKey)
  return {
    offering,
    session,
    sealed: revealedSealed(claims, session.id, confidential, confidentialKey),
    cancelledBatch:
      batchId === null
        ? undefined
        : {
            id: batchId,
            sealed: revealedSealed(claims, batchId, batchConfidential, batchKey, 'offer_batches.confidential'),
          },
    names: claims.reveal<NamesWithKey>({ column: 'offerings.names', id: session.id }, names, namesKey),
    walletUrl,
    withdrawn,
    batchCancelled,
    firstExpiresAt,
    page:
      pageId === null
        ? undefined
        : { id: pageId, inQrCode: inQrCode === true, title: told?.title ?? undefined, text: told?.text ?? undefined },
  }
}

export type OfferAgainStore = ReturnType<typeof createOfferAgainStore>

/** Statements about offers that were made before. */
export function createOfferAgainStore({ sql }: Database, claims: ClaimsVault, announce: Announce) {
  return {
    /** A credential offer. @param creator the only creator whose offers may be read; undefined for the offers of all */
    async find(id: string, creator: string | null | undefined): Promise<OfferAgain | undefined> {
      const [row] = await sql(zOfferAgain)`
        SELECT ${againColumns(claims)} FROM (SELECT ${id}::text AS id) wanted ${againJoins(fragment`wanted.id`)}
        WHERE x.id IS NOT NULL AND ${madeBy(fragment`x.created_by`, creator)}`
      return row === undefined ? undefined : offerAgainOf(claims, row)
    },

    /**
     * Cancels an offer that a wallet could still take. Each issuance locks the session and checks its state, so a cancelled offer is
     * never taken.
     *
     * @returns whether the offer was cancelled now
     */
    async cancel({ id, sealed, actor, now }: Cancellation): Promise<boolean> {
      const told = protectedSealed(claims, id, sealed)
      const cancelled = movedStep(fragment`
        UPDATE credential_offer_sessions SET state = 'Error', seq = seq + 1, error_message = ${CANCELLED}, ended_at = ${now},
          confidential = ${told?.json ?? null}::json
        WHERE id = ${id} AND ${takeable(now)} RETURNING ${movedColumns}`)
      const keys =
        told === undefined
          ? [forgottenKeys('credential_offer_sessions.confidential', cancelled)]
          : claims.storeKeys([told], cancelled)
      const recorded = audited({ of: cancelled, actor, action: 'offering.cancelled', subject: 'offering' })
      const rows = await sql(eventRow, [...keys, recorded])`SELECT id, seq, data FROM ${sessionEvent(cancelled, now)}`
      announce(rows)
      return rows.length > 0
    },

    /**
     * Gives an offer its next link. The statement ends everything that began with the earlier links: the share page and the
     * authorizations. Codes and tokens of earlier links carry their number. A new transaction code unlocks a locked session.
     *
     * @returns false if the session has changed since it was read; then nothing was written
     */
    async resend({ session, expiresAt, txCode, page, actor, now }: NewLink): Promise<boolean> {
      const code = protectedSealed(claims, session.id, txCode?.sealed)
      const texts = page && protectedTexts(claims, page.id, page)
      const recoded =
        txCode === undefined
          ? emptyFragment
          : fragment`, tx_code = ${JSON.stringify(txCode.description)}::jsonb, tx_code_hash = ${txCode.hash}, tx_code_attempts = 0,
              confidential = ${code?.json ?? null}::json`
      const resent = movedStep(fragment`
        UPDATE credential_offer_sessions SET state = 'Created', seq = seq + 1, link_number = link_number + 1,
          error_message = NULL, ended_at = NULL, expires_at = ${expiresAt}::timestamptz ${recoded}
        WHERE id = ${session.id} AND seq = ${session.seq}::int
          AND ${isTxCodeLocked(session) ? unlockable(session.id, now) : takeable(now)} RETURNING ${movedColumns}`)
      const id = resent.column('id')
      const renewed = new Step(
        'renewed',
        // The claims stay as long after the new end as they would have stayed after the old one.
        fragment`
          UPDATE offerings o SET expires_at = ${expiresAt}::timestamptz,
            claims_due_at = o.claims_due_at + (${expiresAt}::timestamptz - o.expires_at)
          FROM ${resent} WHERE o.id = ${id}`,
      )
      const ended = new Step(
        'ended',
        fragment`
          UPDATE authorizations a SET state = CASE WHEN a.state = 'Redeemed' THEN a.state ELSE 'Denied' END, user_claims = NULL,
            code_expires_at = LEAST(a.code_expires_at, ${now}::timestamptz), expires_at = LEAST(a.expires_at, ${now}::timestamptz)
          FROM ${resent} WHERE a.offering_id = ${id}`,
      )
      const recorded = audited({ of: resent, actor, action: 'offering.resent', subject: 'offering' })
      const also = [
        ...claims.storeKeys(
          [code, texts].filter((each) => each !== undefined),
          resent,
        ),
        renewed,
        ended,
        ...(page === undefined ? [] : [newPage(page, texts, resent)]),
        recorded,
      ]
      const rows = await sql(eventRow, also)`SELECT id, seq, data FROM ${sessionEvent(resent, now)}`
      announce(rows)
      return rows.length > 0
    },
  }
}

type Nulled<Members> = { readonly [Name in keyof Members]: Members[Name] | null }
