/** Describes copies of rows that the service itself has written, so that every required column has a value. */
export interface Copies {
  readonly table: string
  /** The SQL condition that selects the rows to copy. */
  readonly where: string
  /**
   * The columns that differ between copies, as SQL. The SQL may use `n`, the number of the copy (from 1), and `row`,
   * the copied row. Columns with a unique default need no entry.
   */
  readonly set: Readonly<Record<string, string>>
  /** Returns the number of copies of each copied row, if every table gets `rows` rows. */
  readonly count?: (rows: number, copied: number) => number
}

/** Entries of one status list. */
const LIST_SIZE = 131_072

/** SQL for the id of a copy. To an index the id looks random, but rows that refer to the copy can compute its id. */
export const id = (kind: string, n = 'n') => `md5('${kind} ' || ${n})::uuid::text`
const hash = (kind: string) => `translate(rtrim(encode(sha256(('${kind} ' || n)::bytea), 'base64'), '='), '+/', '-_')`

const RECENTLY = "now() - (n % 3600) * interval '1 second'"
/** An expiry after the end of the benchmark. */
const LATER = "now() + interval '1 hour' + (n % 3600) * interval '1 second'"

/** SQL for the ids of the rows to copy: one issuance and one presentation. */
export const ORIGINALS = `CREATE TEMPORARY TABLE originals AS
  SELECT (SELECT offering_id FROM redemptions LIMIT 1) AS offering,
         (SELECT credential_id FROM redemptions LIMIT 1) AS credential,
         (SELECT id FROM verification_sessions WHERE state = 'ResponseVerified' LIMIT 1) AS session`

const OFFERING = '(SELECT offering FROM originals)'
const CREDENTIAL = '(SELECT credential FROM originals)'
const SESSION = '(SELECT session FROM originals)'

const events = (session: string, kind: string): Copies => ({
  table: 'session_events',
  where: `session_id = ${session}`,
  set: { session_id: id(kind), at: RECENTLY },
  // Each kind of session has half of the events, so that this table has as many rows as any other table.
  count: (rows, copied) => Math.floor(rows / 2 / copied),
})

/** The copies for each table. The order is such that rows refer only to rows of earlier tables. */
export const COPIES: readonly Copies[] = [
  { table: 'offerings', where: `id = ${OFFERING}`, set: { id: id('offering'), created_at: RECENTLY } },
  {
    table: 'credential_offer_sessions',
    where: `id = ${OFFERING}`,
    set: { id: id('offering'), created_at: RECENTLY, ended_at: 'now()' },
  },
  { table: 'credentials', where: `id = ${CREDENTIAL}`, set: { id: id('credential'), created_at: RECENTLY } },
  {
    table: 'redemptions',
    where: `credential_id = ${CREDENTIAL}`,
    set: { id: id('redemption'), offering_id: id('offering'), credential_id: id('credential'), redeemed_at: RECENTLY },
  },
  {
    table: 'status_lists',
    where: `id = (SELECT status_list_id FROM credential_instances WHERE credential_id = ${CREDENTIAL} LIMIT 1)`,
    set: {
      id: id('list'),
      size: `${LIST_SIZE}`,
      allotted: `${LIST_SIZE}`,
      created_at: "row.created_at - interval '1 day'",
    },
    count: (rows) => Math.ceil(rows / LIST_SIZE),
  },
  {
    table: 'credential_instances',
    where: `credential_id = ${CREDENTIAL}`,
    set: {
      status_list_id: id('list', `((n - 1) / ${LIST_SIZE} + 1)`),
      status_index: `(n - 1) % ${LIST_SIZE}`,
      credential_id: id('credential'),
    },
  },
  {
    table: 'issuance_tokens',
    where: `offering_id = ${OFFERING}`,
    set: {
      token_hash: hash('token'),
      offering_id: id('offering'),
      credential_id: id('credential'),
      expires_at: LATER,
    },
  },
  {
    table: 'used_nonces',
    where: 'hash = (SELECT min(hash) FROM used_nonces)',
    set: { hash: hash('nonce'), expires_at: LATER },
  },
  {
    table: 'verification_sessions',
    where: `id = ${SESSION}`,
    set: {
      id: id('session'),
      created_at: RECENTLY,
      ended_at: 'now()',
    },
  },
  events(OFFERING, 'offering'),
  events(SESSION, 'session'),
  {
    table: 'audit_events',
    where: 'id = (SELECT max(id) FROM audit_events)',
    set: { at: RECENTLY, subject_id: id('credential') },
  },
]
