import { type Fragment, fragment, Step } from '../database/fragment.js'

/** What people are told in the place of, and beneath, a page's own heading. */
export interface PageTexts {
  readonly title?: string | undefined
  readonly text?: string | undefined
}

/** A page as it is made: of a verification session, or of an offering, which a credential offer is too. */
export type NewPage = PageTexts & {
  readonly id: string
  /** Names of the types that are asked for; none of an offering. */
  readonly typeNames: readonly string[]
  readonly createdAt: Date
  /** Whether the QR code of its target holds its address. */
  readonly inQrCode: boolean
  /** When nobody needs it any more; null for as long as its target is there. */
  readonly expiresAt: Date | null
} & ({ readonly verificationSessionId: string } | { readonly offeringId: string; readonly madeBy: string })

/** Kind, session, offering and maker, as the table has them. */
const targetOf = (page: NewPage): readonly [string, string | null, string | null, string | null] =>
  'offeringId' in page
    ? ['receive', null, page.offeringId, page.madeBy]
    : ['present', page.verificationSessionId, null, null]

/**
 * Inserts a page, as a statement or as a part of the one that makes its target, and returns its `id`. A session has one page, an
 * offering one for each who makes one: where there is that already, it gets the new texts.
 */
export function insertPage(page: NewPage): Step<'id'> {
  const [kind, sessionId, offeringId, madeBy] = targetOf(page)
  const known = kind === 'receive' ? fragment`offering_id, made_by` : fragment`verification_session_id, on_demand`
  return new Step<'id'>(
    'paged',
    fragment`
    INSERT INTO pages (id, kind, verification_session_id, offering_id, made_by, title, text, type_names, in_qr_code, created_at, expires_at)
    VALUES (${page.id}, ${kind}, ${sessionId}, ${offeringId}, ${madeBy}, ${page.title ?? null}, ${page.text ?? null},
      ${[...page.typeNames]}::text[], ${page.inQrCode}, ${page.createdAt}, ${page.expiresAt})
    ON CONFLICT (${known}) DO UPDATE SET title = excluded.title, text = excluded.text
    RETURNING id`,
  )
}

/**
 * Inserts a page on demand, where it is not there yet: it says what any other would, without texts, and nobody is sent back to
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
