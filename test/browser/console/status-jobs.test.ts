import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { postOffering, postSchema, SUBJECT } from '../../issuer/purchase.js'
import { copyCredential } from '../../issuer/status-jobs/jobs.js'
import { query } from '../../support/postgres.js'
import { LOOPBACK } from '../../support/wallet.js'
import { assertGood } from '../actors.js'
import { driven, heading, onEveryScreen, startOpenService } from './actors.js'
import { choose, press, tabTo, typeInto } from './keyboard.js'

const desk = driven(() => startOpenService(LOOPBACK))

/** A type with one credential that was signed, and its copies. */
async function typeWith(copies: number, members = {}): Promise<{ readonly type: string; readonly id: string }> {
  const { name: type } = await postSchema(desk.service, '', members)
  const body = { type, credential_subject: SUBJECT, format: 'dc+sd-jwt' }
  const { json } = await desk.service.request('POST', '/credentials/sign', { body })
  if (copies > 0) await copyCredential(desk.service.databaseUrl, json.id, copies)
  return { type, id: json.id }
}

const revokedOf = async (type: string): Promise<number | undefined> => {
  const [row] = await query<{ count: number }>(
    desk.service.databaseUrl,
    `SELECT count(*)::int AS count FROM credentials c JOIN schemas s ON s.id = c.schema_id
     WHERE s.name = $1 AND c.revoked_at IS NOT NULL`,
    [type],
  )
  return row?.count
}

/** A paused job. It has so many credentials that it is paused before its end. */
async function pausedJob(): Promise<{ readonly type: string; readonly id: string }> {
  const { type, id } = await typeWith(3_000)
  const body = { action: 'revoke', filter: { schema: type } }
  const begun = await desk.service.request('POST', '/api/v1/credential-status-jobs', { body })
  const paused = await desk.service.request('POST', `/api/v1/credential-status-jobs/${begun.json.id}/pause`)
  expect(paused.json.state).toBe('paused')
  return { type, id }
}

describe('a status job', () => {
  it('counts first, begins after a question, and shows its progress', async () => {
    const { type } = await typeWith(1_499)
    await desk.opened('/credentials', async (page) => {
      await page.getByRole('link', { name: 'Change many' }).click()
      await heading(page, 'Change many credentials')
      // Without a condition there is nothing to count.
      await expect.poll(() => page.getByRole('button', { name: 'Count' }).isDisabled()).toBe(true)
      await page.getByLabel('Credential type').selectOption(type)
      await page.getByLabel('Reason').selectOption('cessation')
      await page.getByRole('button', { name: 'Count' }).click()
      await page.getByText('1,500 credentials match. The job would revoke 1,500.').waitFor()
      expect(await revokedOf(type)).toBe(0)
      await page.getByRole('button', { name: 'Revoke 1,500 credentials' }).click()
      const question = page.getByRole('dialog', { name: 'Revoke 1,500 credentials?' })
      await question.getByText('This cannot be undone.').waitFor()
      await assertGood(page, 'status-job-question')
      await question.getByRole('button', { name: 'Revoke 1,500 credentials' }).click()
      await heading(page, 'Status job')
      await page.getByText('done', { exact: true }).waitFor()
      await page.getByText('1,500 credentials changed.').waitFor()
      await page.getByText('1500 / 1500').waitFor()
      await page.getByText('Its purpose has ended').waitFor()
      expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0)
      await assertGood(page, 'status-job-done')
    })
    expect(await revokedOf(type)).toBe(1_500)
  })

  it('with pasted ids, by the keyboard alone, says what cannot be suspended', async () => {
    const [suspendable, plain] = [await typeWith(0, { suspendable: true }), await typeWith(0)]
    await desk.opened('/credentials/jobs', async (page) => {
      await heading(page, 'Change many credentials')
      await choose(page, 'Action', 's')
      await typeInto(page, 'Ids of credentials', `${suspendable.id}\n${plain.id}\n`)
      await press(page, 'Count')
      await page.getByText('2 credentials match. The job would suspend 1.').waitFor()
      await page
        .getByText('1 credential cannot be suspended: the type was not suspendable at the time of issue.')
        .waitFor()
      await press(page, 'Suspend 1 credential')
      await page.getByRole('dialog', { name: 'Suspend 1 credential?' }).waitFor()
      await tabTo(page, 'Suspend 1 credential')
      await page.keyboard.press('Enter')
      await page.getByText('1 credential changed.').waitFor()
    })
    const { json } = await desk.service.request('GET', '/api/v1/credentials?status=suspended')
    expect(json.items.map(({ id }: { id: string }) => id)).toEqual([suspendable.id])
  })

  it('for a batch of offers names the batch', async () => {
    const { name: type } = await postSchema(desk.service, '')
    const [{ id: offering }, batch] = [await postOffering(desk.service, { credential_type: type }), randomUUID()]
    await desk.service.request('POST', `/api/v1/offerings/${offering}/claim`)
    await query(desk.service.databaseUrl, 'UPDATE offerings SET batch_id = $1 WHERE id = $2', [batch, offering])
    await desk.opened('/credentials/jobs', async (page) => {
      await heading(page, 'Change many credentials')
      await page.getByLabel('Id of the batch').fill(batch)
      await page.getByRole('button', { name: 'Count' }).click()
      await page.getByText('1 credential matches. The job would revoke 1.').waitFor()
      await page.getByRole('button', { name: 'Revoke 1 credential' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke 1 credential' }).click()
      await page.getByText('1 credential changed.').waitFor()
      await page.getByText('Id of the batch').waitFor()
      await page.getByTitle(batch).waitFor()
      await assertGood(page, 'status-job-of-batch')
    })
    expect(await revokedOf(type)).toBe(1)
  })

  it('is paused, resumed and cancelled', async () => {
    const { type } = await pausedJob()
    await desk.opened('/credentials/jobs', async (page) => {
      const table = page.getByRole('table', { name: 'Status jobs' })
      await table.getByRole('row').filter({ hasText: 'paused' }).getByRole('link').click()
      await heading(page, 'Status job')
      await page.getByRole('button', { name: 'Cancel the job' }).click()
      const question = page.getByRole('dialog', { name: 'Cancel this status job?' })
      await assertGood(page, 'status-job-cancel')
      await question.getByRole('button', { name: 'Cancel', exact: true }).click()
      await page.getByRole('button', { name: 'Resume' }).click()
      await page.getByText('done', { exact: true }).waitFor()
    })
    expect(await revokedOf(type)).toBe(3_001)
  })

  it('for the same credentials as another job is refused, and the form keeps its input', async () => {
    const { id } = await pausedJob()
    await desk.opened(
      '/credentials/jobs',
      async (page) => {
        await page.getByLabel('Ids of credentials').fill(id)
        await page.getByRole('button', { name: 'Count' }).click()
        await page.getByRole('button', { name: 'Revoke 1 credential' }).click()
        const question = page.getByRole('dialog')
        await question.getByRole('button', { name: 'Revoke 1 credential' }).click()
        await question.getByText('which has not ended').waitFor()
        await question.getByRole('button', { name: 'Cancel' }).click()
        expect(await page.getByLabel('Ids of credentials').inputValue()).toBe(id)
      },
      [409],
    )
  })

  it('has a screen that works in every size and colour', async () => {
    await onEveryScreen(desk.browser, async (page, name) => {
      await page.goto(`${desk.service.url}/console/credentials/jobs`)
      await page.getByRole('table', { name: 'Status jobs' }).waitFor()
      await assertGood(page, `status-jobs-${name}`)
    })
  })
})
