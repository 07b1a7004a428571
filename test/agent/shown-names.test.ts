import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let authorization: string
beforeAll(async () => {
  service = await startService()
  authorization = await service.bearer('ada', { roles: ['admin'] })
})
afterAll(() => service.close())

const post = (path: string, body: unknown) => service.request('POST', path, { authorization, body })

describe.each(['issuer', 'verifier'] as const)('the name of an issuer or verifier: %s', (kind) => {
  const rename = (id: string, before: unknown, display: unknown) =>
    post(`/api/v1/${kind}s/${id}/display`, { before, display })

  it.each([
    ['\u202eknab', 0, 'U+202E'],
    ['Bank\u2069', 1, 'U+2069'],
    ['B\u202bank', 2, 'U+202B'],
  ])(
    '%j: direction controls are refused when it is made and renamed (UAX #9 §2.1 to §2.5)',
    async (name, at, character) => {
      const display = [{ name: 'Bank' }, { name: 'Bank', locale: 'de' }, { name: 'Banque', locale: 'fr' }]
      const marked = display.with(at, { ...display[at], name })
      const message = `display.${at}.name must not contain ${character}, which controls the direction of text`
      const refused = await post(`/agent/${kind}`, { method: 'key', display: marked })
      expect([refused.status, [refused.json.message].flat()]).toEqual([400, [message]])
      const { json: made } = await post(`/agent/${kind}`, { method: 'key', display })
      const renamed = await rename(made.id, display, marked)
      expect([renamed.status, [renamed.json.message].flat()]).toEqual([400, [message]])
      const stored = await service.request('GET', `/agent/${kind}/${made.id}`, { authorization })
      expect(stored.json.display).toEqual(display)
    },
  )

  it('may have the marks that Hebrew and Arabic names need (§2.6)', async () => {
    for (const name of ['בנק (1)\u200f', 'بنك\u061c 7', '\u200eBank'])
      expect((await post(`/agent/${kind}`, { method: 'key', display: [{ name }] })).json.display).toEqual([{ name }])
  })

  it('from before this rule can still be read, and changed', async () => {
    const { json: made } = await post(`/agent/${kind}`, { method: 'key', display: [{ name: 'Bank' }] })
    const before = [{ name: 'Bank\u202eknab', locale: 'en' }]
    await query(
      service.databaseUrl,
      `UPDATE ${kind}s SET display = '${JSON.stringify(before)}' WHERE id = '${made.id}'`,
    )
    const read = await service.request('GET', `/api/v1/${kind}s/${made.id}`, { authorization })
    expect([read.status, read.json.display]).toEqual([200, before])
    expect((await service.request('GET', `/api/v1/${kind}s`, { authorization })).status).toBe(200)
    const renamed = await rename(made.id, before, [{ name: 'Bank' }])
    expect([renamed.status, renamed.json.display], renamed.text).toEqual([200, [{ name: 'Bank' }]])
  })
})
