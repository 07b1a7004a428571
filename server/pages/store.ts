import { type Fragment, fragment, Step } from '../database/fragment.js'
import type { ClaimsVault, ProtectedClaims } from '../keys/claims/vault.js'

/** Texts of a page: `title` replaces the heading, and `text` is shown below the heading. */
export interface PageTexts {
  readonly title?: string | undefined
  readonly text?: string | undefined
}

/** A new page of a verification session or of an offering. A credential offer is also stored as an offering. */
export type NewPage = PageTexts & {
  readonly id: string
  /** Names of the requested types; empty for an offering. */
  readonly typeNames: readonly string[]
  readonly createdAt: Date
  /** Whether the QR code of the session or offering contains the page's address. */
  readonly inQrCode: boolean
  /** When the page can be deleted; null if the page stays as long as its session or offering. */
  readonly expiresAt: Date | null
} & ({ readonly verificationSessionId: string } | { readonly offeringId: string; readonly madeBy: string })

/** The values of the columns that say for what the page was made: kind, session, offering and maker. */
const targetOf = (page: NewPage): readonly [string, string | null, string | null, string | null] =>
  'offeringId' in page
    ? ['receive', null, page.offeringId, page.madeBy]
    : ['present', page.verificationSessionId, null, null]

/** Encrypts the texts of a page for storage. Undefined if the page has no texts. */
export function protectedTexts(
  claims: Pick<ClaimsVault, 'protect'>,
  id: string,
  { title, text }: PageTexts,
): ProtectedClaims | undefined {
  if (title === undefined && text === undefined) return undefined
  return claims.protect({ column: 'pages.texts', id }, { title: title ?? null, text: text ?? null })
}

/**
 * Makes the step that inserts a page and returns its `id`. It can be a part of the statement that creates the session
 * or offering. A session has one page. An offering has one page for each maker. If the page exists, the step returns
 * the existing `id` and changes nothing.
 */
export function insertPage(claims: ClaimsVault, page: NewPage): Step<'id'> {
  const texts = protectedTexts(claims, page.id, page)
  const [kind, sessionId, offeringId, madeBy] = targetOf(page)
  const known = kind === 'receive' ? fragment`offering_id, made_by` : fragment`verification_session_id, on_demand`
  const paged = new Step<'id'>(
    'paged',
    fragment`
    INSERT INTO pages (id, kind, verification_session_id, offering_id, made_by, texts, type_names, in_qr_code, created_at, expires_at)
    VALUES (${page.id}, ${kind}, ${sessionId}, ${offeringId}, ${madeBy}, ${texts?.json ?? null}::json,
      ${[...page.typeNames]}::text[], ${page.inQrCode}, ${page.createdAt}, ${page.expiresAt})
    ON CONFLICT (${known}) DO UPDATE SET kind = excluded.kind
    RETURNING id`,
  )
  if (texts === undefined) return paged
  const fresh = new Step('paged_anew', fragment`SELECT 1 FROM ${paged} WHERE ${paged.column('id')} = ${page.id}`)
  return paged.along(...claims.storeKeys([texts], fresh))
}

/**
 * Inserts a page on demand if it does not exist yet. Such a page has no texts, and wallets do not send browsers back to
 * it.
 */
export function insertPageOnDemand(page: NewPage): Fragment {
  const [kind, sessionId, offeringId, madeBy] = targetOf(page)
  return fragment`
    INSERT INTO pages (id, kind, verification_session_id, offering_id, made_by, type_names, on_demand, created_at, expires_at)
    VALUES (${page.id}, ${kind}, ${sessionId}, ${offeringId}, ${madeBy}, ${[...page.typeNames]}::text[], true,
      ${page.createdAt}, ${page.expiresAt})
    ON CONFLICT DO NOTHING`
}
