import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Issuer, JWT_VC, startIssuer } from '../issuer/openid4vci/actors.js'
import { readEvents } from '../issuer/openid4vci/event-reader.js'
import { type OwnPostgres, query, startOwnPostgres } from '../support/postgres.js'

let sockets: string
let postgres: OwnPostgres
let address: string
let issuer: Issuer
beforeAll(async () => {
  sockets = await mkdtemp(join(tmpdir(), 'credence-sockets-'))
  // The account that runs PostgreSQL needs access to the folder.
  await chmod(sockets, 0o777)
  postgres = await startOwnPostgres({ unix_socket_directories: sockets })
  const url = new URL(postgres.url)
  url.hostname = 'localhost'
  url.searchParams.set('host', sockets)
  address = url.href
  issuer = await startIssuer({ databaseUrl: address })
})
afterAll(async () => {
  await postgres.remove()
  await rm(sockets, { recursive: true, force: true })
})

it('a PostgreSQL on the same machine may be reached over its Unix socket, for statements and for events', async () => {
  const { credentialOfferSessionId: id } = await issuer.makeOffer()
  const authorization = await issuer.authorization()
  await using events = await readEvents(issuer.service, `/credential-offer-sessions/${id}/events`, { authorization })
  const next = async () => JSON.parse((await events.next()).data ?? '{}').state
  expect(await next()).toBe('Created')
  const connections = () =>
    query<{ name: string; over: string | null }>(
      address,
      `SELECT DISTINCT application_name AS name, client_addr::text AS over FROM pg_stat_activity
        WHERE application_name LIKE 'credence%' ORDER BY 1`,
    )
  await expect.poll(connections).toEqual([
    { name: 'credence', over: null },
    { name: 'credence-events', over: null },
  ])
  expect((await issuer.take(await issuer.token(id), JWT_VC)).status).toBe(200)
  const states = [await next()]
  while (states.at(-1) !== 'CredentialIssued') states.push(await next())
  expect(states).toContain('TokenIssued')
})
