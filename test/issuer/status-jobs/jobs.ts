import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { query } from '../../support/postgres.js'
import type { Answer, TestService } from '../../support/service.js'
import { SUBJECT } from '../purchase.js'

export const JOBS = '/api/v1/credential-status-jobs'

/** Posts a job with the client secret. */
export const post = (service: TestService, body: unknown): Promise<Answer> =>
  service.request('POST', JOBS, { client: true, body })

/** Posts a job and expects that it begins. */
export async function begin(service: TestService, body: unknown): Promise<Answer['json']> {
  const answer = await post(service, body)
  expect(answer.status, answer.text).toBe(202)
  return answer.json
}

export const read = async (service: TestService, id: string): Promise<Answer['json']> =>
  (await service.request('GET', `${JOBS}/${id}`, { client: true })).json

/** Does the work of a service without maintenance, until a job has ended. */
export async function ended(service: TestService, id: string): Promise<Answer['json']> {
  const [task] = service.features.statusJobs.tasks
  for (;;) {
    const job = await read(service, id)
    if (job.endedAt !== undefined) return job
    const done = await task?.run(new Date(), 200)
    // The new versions of status lists are a second apart.
    if (done?.more !== true) await sleep(50)
  }
}

export interface Signed {
  readonly id: string
  readonly credential: string
}

export async function sign(
  service: TestService,
  authorization: string,
  type: string,
  format = 'dc+sd-jwt',
): Promise<Signed> {
  const body = { type, credential_subject: SUBJECT, format }
  const answer = await service.request('POST', '/credentials/sign', { authorization, body })
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

/**
 * Copies a credential with its instance, each copy with an index of its own in `lists` new status lists of the same key.
 *
 * @returns the ids of the lists
 */
export async function copyCredential(databaseUrl: string, id: string, times: number, lists = 1): Promise<string[]> {
  const rows = await query<{ id: string }>(
    databaseUrl,
    `INSERT INTO status_lists (id, key_id, issuer_id, size, allotted, bits)
     SELECT gen_random_uuid()::text, l.key_id, l.issuer_id, l.size, l.size, l.bits
     FROM credential_instances i JOIN status_lists l ON l.id = i.status_list_id, generate_series(1, ${lists})
     WHERE i.credential_id = $1 RETURNING id`,
    [id],
  )
  const ids = rows.map((row) => row.id)
  await query(
    databaseUrl,
    `WITH copies AS (
       INSERT INTO credentials (id, schema_id, issuer_id, owner, vc, signed, created_at)
       SELECT gen_random_uuid()::text, schema_id, issuer_id, owner, NULL, signed, created_at + n * interval '1 microsecond'
       FROM credentials, generate_series(1, ${times}) n WHERE id = $1 RETURNING id),
     numbered AS (SELECT id, row_number() OVER () - 1 AS n FROM copies)
     INSERT INTO credential_instances (status_list_id, status_index, credential_id, configuration_id, format)
     SELECT ($2::text[])[1 + (c.n * ${lists} / ${times})::int], c.n, c.id, i.configuration_id, i.format
     FROM numbered c, credential_instances i WHERE i.credential_id = $1`,
    [id, ids],
  )
  return ids
}
