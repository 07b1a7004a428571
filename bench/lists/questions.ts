import { createSignerStore } from '../../server/agent/signers/store.js'
import { createAuditStore } from '../../server/audit/store.js'
import type { Database } from '../../server/database/connect.js'
import type { ListPart, TimedPart } from '../../server/database/list-position.js'
import { createCredentialListStore } from '../../server/issuer/credentials/list/store.js'
import { createOfferSessionListStore } from '../../server/issuer/openid4vci/sessions/list-store.js'
import { CREDENTIAL_OFFER_STATES } from '../../server/issuer/openid4vci/sessions/session.js'
import { createSchemaListStore } from '../../server/issuer/schemas/list/store.js'
import { claimsInClear } from '../../server/keys/claims/vault.js'
import type { NameHashes } from '../../server/names/names.js'
import { createVerificationSessionListStore } from '../../server/verifier/sessions/list-store.js'
import { SESSION_STATES, type SessionState } from '../../server/verifier/sessions/session.js'
import { createTrustedIssuerStore } from '../../server/verifier/trusted-issuers/store.js'

/** A list request, and the number of rows that it finds in a database that `listFilling` has filled. */
export interface Question {
  readonly list: string
  readonly asked: string
  readonly read: () => Promise<readonly unknown[]>
  readonly found: number
}

/** A page of fifty rows, and one more row, which shows that there is another page. */
export const TAKE = 51

const WHOLE: TimedPart = { take: TAKE, after: undefined, from: undefined, to: undefined }

/**
 * The requests for each list: without a filter, for a period, after a cursor, and with each single filter. The filters
 * have frequent, rare, old and missing values.
 */
export function questions(database: Database, rows: number, idPrefix: string): Question[] {
  const middle = new Date(Date.now() - (rows / 2) * 1_000)
  const parts: readonly [string, TimedPart][] = [
    ['all', WHOLE],
    ['from', { ...WHOLE, from: middle }],
    ['to', { ...WHOLE, to: middle }],
    ['cursor', { ...WHOLE, after: { createdAt: middle, id: '8' } }],
  ]
  const list = <Filters>(
    name: string,
    page: (filters: Filters, part: TimedPart) => Promise<readonly unknown[]>,
    none: Filters,
    filtered: readonly (readonly [Filters, number])[],
  ): Question[] => [
    ...parts.map(([asked, part]) => ({ list: name, asked, read: () => page(none, part), found: TAKE })),
    ...filtered.map(([filters, found]) => ({
      list: name,
      asked: typeof filters === 'string' ? filters : JSON.stringify(filters),
      read: () => page(filters, WHOLE),
      found,
    })),
  ]
  /** Requests by names, which every list of named things answers. */
  const byNames = [
    [{ referenceHash: 'often' }, TAKE],
    [{ referenceHash: 'rare' }, 19],
    [{ referenceHash: 'missing' }, 0],
    [{ labelHash: 'often' }, TAKE],
    [{ labelHash: 'rare' }, 19],
    [{ labelHash: 'missing' }, 0],
    [{ referenceHash: 'rare', labelHash: 'rare' }, 19],
  ] as const
  const sessions = createVerificationSessionListStore(database, claimsInClear)
  const signers = createSignerStore(database)
  /** Requests for a list that has no filters. */
  const whole = (name: string, page: (part: ListPart) => Promise<readonly unknown[]>): Question[] =>
    list(name, (_, part) => page(part), undefined, []).filter(({ asked }) => asked === 'all' || asked === 'cursor')
  return [
    ...list('credentials', createCredentialListStore(database, claimsInClear).page, {}, [
      [{ schema: 'Type_500' }, TAKE],
      [{ schema: 'Type_0' }, 19],
      [{ status: 'active' }, TAKE],
      [{ status: 'revoked' }, 19],
      [{ holderDid: 'did:example:100' }, 50],
      [{ holderDid: 'did:example:rare' }, 19],
      [{ holderDid: 'did:example:nobody' }, 0],
      [{ offeringId: 'popular' }, TAKE],
      [{ offeringId: 'rare' }, 19],
      [{ idPrefix }, 1],
      [{ referenceHash: 'rare', status: 'revoked' }, 19],
      [{ referenceHash: 'often', schema: 'Type_500' }, TAKE],
      ...byNames,
    ]),
    ...list('offer sessions', createOfferSessionListStore(database, claimsInClear).page, {}, [
      ...CREDENTIAL_OFFER_STATES.map(
        (state) => [{ state }, state === 'CredentialIssued' ? TAKE : state === 'Accepted' ? 19 : 0] as const,
      ),
      [{ deferred: 'pending' }, 19],
      [{ deferred: 'approved' }, TAKE],
      [{ deferred: 'rejected' }, 0],
      [{ deferred: 'pending', state: 'Accepted' }, 19],
      ...byNames,
    ]),
    ...list<NameHashes & { readonly state?: SessionState }>(
      'verification sessions',
      ({ state, ...names }, part) =>
        sessions.page({ ...(state === undefined ? {} : { state }), creator: undefined, ...names }, part),
      {},
      [
        ...SESSION_STATES.map(
          (state) => [{ state }, state === 'Error' ? TAKE : state === 'ResponseVerified' ? 19 : 0] as const,
        ),
        ...byNames,
      ],
    ),
    ...list('schemas', createSchemaListStore(database).page, {}, [
      [{ name: 'Type_500' }, 4],
      [{ active: true }, TAKE],
      [{ active: false }, TAKE],
    ]),
    ...list('audit events', createAuditStore(database).page, {}, [
      [{ action: 'credential.issued' }, TAKE],
      [{ action: 'schema.created' }, 19],
      [{ action: 'nothing.done' }, 0],
      [{ actor: 'alice' }, TAKE],
      [{ actor: 'rare' }, 19],
      [{ actor: 'nobody' }, 0],
      [{ subject: 'credential' }, TAKE],
      [{ subject: 'schema' }, 19],
      [{ subject: 'nothing' }, 0],
      [{ subjectId: 'nothing' }, 0],
    ]),
    ...whole('issuers', (part) => signers.page('issuer', part)),
    ...whole('verifiers', (part) => signers.page('verifier', part)),
    ...whole('trusted issuers', createTrustedIssuerStore(database).page),
  ]
}
