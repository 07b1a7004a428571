import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { connectDatabase } from '../../server/database/connect.js'
import { migrate } from '../../server/database/migrate.js'
import { projectDirectory } from '../../server/database/migrations.js'
import { withStartLock } from '../../server/database/start-lock.js'
import { createEventStore, type SessionEvent } from '../../server/events/store.js'
import { createStores } from '../../server/wiring/stores.js'
import { createEmptyDatabase, query } from '../support/postgres.js'

const MIGRATIONS = join(projectDirectory(), 'prisma/migrations')
const EVENTS_WITH_CHANGES = '20261122221500_event_changes'

const verification = {
  id: 'v',
  state: 'RequestCreated',
  verifierId: 'did:web:verifier.example',
  authorizationRequestId: 'r',
  authorizationRequestUri: 'openid4vp://?request_uri=x',
  expiresAt: '2026-01-01T00:05:00.000Z',
}
const offer = {
  id: 'o',
  state: 'Created',
  issuerId: 'did:web:issuer.example',
  credentialConfigurationIds: ['Purchase'],
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T00:05:00.000Z',
}
const waits = { state: 'TokenIssued', deferred: 'pending', expiresAt: '2026-01-31T00:00:00.000Z' }

/** Rewrites all events as an earlier version stored them: each event contains the whole session. */
const BEFORE: Readonly<Record<string, readonly SessionEvent['data'][]>> = {
  v: [
    verification,
    { ...verification, state: 'RequestUriRetrieved' },
    { ...verification, state: 'Error', errorMessage: 'Authorization request expired.' },
  ],
  o: [offer, { ...offer, state: 'TokenIssued' }, { ...offer, ...waits }, { ...offer, ...waits, deferred: 'approved' }],
}

it('events and sessions of a version that stored the whole session in each event can still be read', async () => {
  await using test = await createEmptyDatabase()
  const directory = await mkdtemp(join(tmpdir(), 'credence-before-'))
  try {
    for (const name of await readdir(MIGRATIONS)) {
      if (name < EVENTS_WITH_CHANGES) await cp(join(MIGRATIONS, name), join(directory, name), { recursive: true })
    }
    await withStartLock(test.url, (lock) => migrate(lock, directory))
  } finally {
    await rm(directory, { recursive: true })
  }
  // The test does not need the rows to which these rows refer.
  const rows = [
    `INSERT INTO verification_sessions (id, request_id, verifier_id, client_id, key_id, kid, response_mode, dcql_query, state, seq,
       error_message, created_at, expires_at, ended_at)
     VALUES ('v', 'r', 'did:web:verifier.example', 'c', 'k', 'k', 'direct_post', '{}', 'Error', 3, 'Authorization request expired.',
       now(), '2026-01-01T00:05:00Z', now())`,
    `INSERT INTO credential_offer_sessions (id, created_by, state, seq, deferred, expires_at)
     VALUES ('o', 'alice', 'TokenIssued', 4, 'approved', '2026-01-31T00:00:00Z')`,
  ]
  for (const row of rows) await query(test.url, `DO $$ BEGIN SET session_replication_role = replica; ${row}; END $$`)
  for (const [id, events] of Object.entries(BEFORE)) {
    await query(
      test.url,
      `INSERT INTO session_events (session_id, kind, seq, data, at)
       SELECT $1, CASE $1 WHEN 'v' THEN 'verification-session' ELSE 'credential-offer-session' END, n, data, now()
       FROM json_array_elements($2::json) WITH ORDINALITY AS e(data, n)`,
      [id, JSON.stringify(events)],
    )
  }
  // The order of members is compared too.
  const told = 'SELECT json_agg(data::json ORDER BY session_id, seq)::text AS told FROM session_events'
  const [before] = await query<{ told: string }>(test.url, told)

  await withStartLock(test.url, (lock) => migrate(lock))
  const database = connectDatabase(test.url)
  try {
    for (const [sessionId, events] of Object.entries(BEFORE)) {
      expect(await createEventStore(database).after([{ sessionId, after: 0 }])).toEqual(
        events.map((data, at) => ({ sessionId, seq: at + 1, data })),
      )
    }
    const all = await createEventStore(database).after(['o', 'v'].map((sessionId) => ({ sessionId, after: 0 })))
    expect(JSON.stringify(all.map(({ data }) => data))).toBe(JSON.stringify(JSON.parse(before?.told ?? '')))
    const stores = createStores(database)
    expect(await stores.verificationSessions.latest('v')).toEqual({ seq: 3, data: BEFORE.v?.at(-1) })
    expect(await stores.offerSessions.latest('o')).toEqual({ seq: 4, data: BEFORE.o?.at(-1) })
    expect(
      await query(test.url, 'SELECT session_id AS id, seq, changes FROM session_events ORDER BY 1 DESC, 2'),
    ).toEqual([
      { id: 'v', seq: 2, changes: { state: 'RequestUriRetrieved' } },
      { id: 'v', seq: 3, changes: { state: 'Error', errorMessage: 'Authorization request expired.' } },
      { id: 'o', seq: 2, changes: { state: 'TokenIssued' } },
      { id: 'o', seq: 3, changes: waits },
      { id: 'o', seq: 4, changes: { ...waits, deferred: 'approved' } },
    ])
  } finally {
    await database.close()
  }
})
