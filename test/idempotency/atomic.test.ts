import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { routesOf } from '../../server/http/routes.js'
import { tour } from '../http/tour.js'
import { walletClients } from '../http/wallet-clients.js'
import { appRouter } from '../support/contracts.js'
import { query } from '../support/postgres.js'
import { startService } from '../support/service.js'
import { LOOPBACK } from '../support/wallet.js'

/** Its effect is at another service, which it asks. */
const ELSEWHERE = ['POST /holders/{holderId}/process']

const KEYED = routesOf(appRouter)
  .filter(({ rest }) => rest.idempotent === true)
  .map(({ method, template }) => `${method} ${template}`)
  .filter((name) => !ELSEWHERE.includes(name))

/** While the table has a row, no answer can be stored: as if another process had taken over each key. */
const TAKEN_OVER = `
  CREATE TABLE taken_over (id int);
  CREATE FUNCTION take_over() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM taken_over) THEN RETURN NULL; END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER take_over BEFORE UPDATE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION take_over()`

/** Changes that a request of the operation causes at a service that it asks. In the tour, this service asks itself. */
const CAUSED: Readonly<Record<string, RegExp>> = { 'POST /flows': /^(verification_sessions|session_events.*)$/ }

/** Tables that requests share: reserved status indices, and callers whose lists are read from the primary. */
const SHARED = ['taken_over', 'status_lists', 'status_list_announcement', 'recent_writers']

it('each creating operation undoes all of its changes if its answer cannot be stored', async () => {
  await using service = await startService({
    env: { ...LOOPBACK, WALLET_CLIENTS: walletClients() },
    maintenance: false,
  })
  const { databaseUrl } = service
  for (const statement of TAKEN_OVER.split(/;\n(?= {2}CREATE)/)) await query(databaseUrl, statement)
  const tables = await query<{ name: string }>(
    databaseUrl,
    `SELECT c.oid::regclass::text AS name FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1`,
  )
  const compared = tables.map(({ name }) => name).filter((name) => !SHARED.includes(name))
  const all = compared
    .map(
      (name) =>
        `SELECT '${name}' AS name, count(*)::int AS rows, coalesce(sum(hashtext(t::text)), 0)::text AS hash FROM ${name} t`,
    )
    .join(' UNION ALL ')
  const state = () => query<{ name: string; rows: number; hash: string }>(databaseUrl, `${all} ORDER BY name`)

  const undone: string[] = []
  await tour(service, async ({ method, template, path, options }) => {
    const name = `${method} ${template}`
    if (!KEYED.includes(name) || undone.includes(name)) return
    const before = await state()
    await query(databaseUrl, 'INSERT INTO taken_over VALUES (1)')
    const headers = { ...options.headers, 'idempotency-key': randomUUID() }
    const refused = await service.request(method, path, { ...options, headers })
    await query(databaseUrl, 'DELETE FROM taken_over')
    expect([name, refused.status, refused.text]).toEqual([name, 409, expect.stringContaining('is running')])
    const changed = (await state()).filter((table, at) => JSON.stringify(table) !== JSON.stringify(before[at]))
    expect([name, changed.filter((table) => CAUSED[name]?.test(table.name) !== true)]).toEqual([name, []])
    undone.push(name)
  })
  expect(undone.sort()).toEqual([...KEYED].sort())
}, 300_000)
