import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { CLAIMS_COLUMNS, PROTECTED_COLUMNS } from '../../server/keys/at-rest/columns.js'
import type { MaintenanceTask } from '../../server/maintenance/task.js'
import { postOffering, postSchema } from '../issuer/purchase.js'
import { query } from '../support/postgres.js'
import type { Answer, TestService } from '../support/service.js'
import { newWallet as newHolder } from '../support/wallet.js'
import { newWallet } from '../support/wallet-actor.js'
import { type Asked, answer, ask, fetchRequest, ITEM, issue, makeSchema, present } from '../verifier/actors.js'

/** A new key-encryption key. */
export const newKek = (): string => randomBytes(32).toString('base64url')

/** A text that is in claims and nowhere else. */
export const MARKER = 'Claim-that-nobody-may-see'

/** The rows of an installation with claims in each protected column of claims. */
export interface Filled {
  readonly type: string
  readonly credential: string
  readonly offering: string
  readonly asked: Asked
}

/** Issues, offers and verifies with a marker in the claims, and makes a hosted wallet. */
export async function fill(service: TestService): Promise<Filled> {
  const authorization = await service.bearer('alice')
  const { name: type } = await postSchema(service, authorization)
  const subject = { product: MARKER }
  const created = await service.request('POST', '/api/v1/credentials', {
    authorization,
    body: { type, credential_subject: subject },
  })
  expect(created.status).toBe(201)
  const { offering_id } = await postOffering(service, { credential_type: type, credential_subject: subject })
  await makeSchema(service)
  await newHolder(service, 'holly')
  return { type, credential: created.json.id, offering: offering_id, asked: await verify(service) }
}

/** Verifies a presentation with the marker in its claims. */
export async function verify(service: TestService): Promise<Asked> {
  const subject = { product: MARKER }
  const wallet = await newWallet()
  const held = await issue(service, wallet, 'dc+sd-jwt', subject)
  const asked = await ask(service, { query: [ITEM], responseMode: 'direct_post' })
  const payload = await fetchRequest(asked)
  const reply = await answer(payload, { 'item-0-sd-jwt': [await present(held, wallet, payload)] })
  expect(reply.status).toBe(200)
  return asked
}

/** Copies the credentials of a database, each under a new id, as a version without encryption stored them. */
export async function copyCredentials(databaseUrl: string, times: number): Promise<string[]> {
  await query(
    databaseUrl,
    `INSERT INTO credentials (id, schema_id, issuer_id, owner, vc)
     SELECT gen_random_uuid()::text, schema_id, issuer_id, owner, vc FROM credentials, generate_series(1, ${times})`,
  )
  await query(databaseUrl, 'UPDATE credentials SET signed = NULL')
  const rows = await query<{ id: string }>(databaseUrl, "SELECT id FROM credentials WHERE owner = 'alice' ORDER BY id")
  return rows.map(({ id }) => id)
}

/** The answers to the requests that read claims. */
export async function readClaims(
  service: TestService,
  { credential, offering, asked }: Filled,
): Promise<readonly Answer[]> {
  const authorization = await service.bearer('alice')
  return [
    await service.request('GET', `/api/v1/credentials/${credential}`, { authorization }),
    await service.request('GET', `/api/v1/offerings/${offering}`, { client: true }),
    await service.request('GET', `/verification-sessions/${asked.verificationSessionId}/result`, { client: true }),
  ]
}

/** Expects that each request that reads claims shows the marker. */
export async function expectReadable(service: TestService, filled: Filled): Promise<void> {
  const answers = await readClaims(service, filled)
  expect(answers.map(({ status, text }) => [status, text.includes(MARKER)])).toEqual(Array(3).fill([200, true]))
}

/** Issues one credential and expects it to be readable. */
export async function issueAndRead(service: TestService, { type }: Pick<Filled, 'type'>): Promise<string> {
  const authorization = await service.bearer('alice')
  const body = { type, credential_subject: { product: MARKER } }
  const created = await service.request('POST', '/api/v1/credentials', { authorization, body })
  expect(created.status).toBe(201)
  const read = await service.request('GET', `/api/v1/credentials/${created.json.id}`, { authorization })
  expect([read.status, read.json.vc.proof.jws]).toEqual([200, created.json.vc.proof.jws])
  return created.json.id
}

/** The task that encrypts stored values. */
export function encryptionOf(service: TestService): MaintenanceTask {
  const task = service.platform.tasks.find(({ name }) => name === 'encrypt stored values')
  if (task === undefined) throw new Error('The service has no key-encryption key.')
  return task
}

/** Numbers of values that are in the clear, and of key-encryption keys that values and content keys need. */
export async function protection(databaseUrl: string) {
  const parts = [
    ...CLAIMS_COLUMNS.map(
      ({ table, column }) =>
        `SELECT (left("${column}"::text, 1) <> '"') AS clear, NULL AS key FROM "${table}" WHERE "${column}" IS NOT NULL`,
    ),
    ...PROTECTED_COLUMNS.map(
      ({ table, column }) =>
        `SELECT "${column}" NOT LIKE 'eyJ%' AS clear, split_part("${column}", '.', 1) AS key FROM "${table}" WHERE "${column}" IS NOT NULL`,
    ),
    "SELECT false AS clear, split_part(wrapped, '.', 1) AS key FROM content_keys",
  ]
  const rows = await query<{ clear: boolean; key: string | null }>(databaseUrl, parts.join(' UNION ALL '))
  return {
    clear: rows.filter(({ clear }) => clear).length,
    keys: new Set(rows.flatMap(({ key }) => (key?.startsWith('eyJ') ? kidOf(key) : (key ?? [])))),
  }
}

const kidOf = (header: string): string => JSON.parse(Buffer.from(header, 'base64url').toString()).kid
