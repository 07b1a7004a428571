import { describe, expect, it } from 'vitest'
import { readEvents } from '../../issuer/openid4vci/event-reader.js'
import { runTask } from '../../support/maintenance.js'
import { startService, type TestService } from '../../support/service.js'
import { type Asked, ask, dcql, fetchRequest, ITEM, postForm, sessionOf } from '../actors.js'
import { useWorld } from '../world.js'

const world = useWorld()
const EXPIRED = 'Authorization request expired.'

async function expire(service: TestService, now: Date): Promise<void> {
  const [task] = service.features.verificationSessions.tasks
  if (task !== undefined) await runTask(task, now)
}

describe('a request without an answer', () => {
  it('ends in Error without a request of a caller, and its subscribers see it', async () => {
    const asked = await ask(world.service, { query: [ITEM], validity: 1 })
    const authorization = await world.service.bearer('verifier')
    await using stream = await readEvents(
      world.service,
      `/verification-sessions/${asked.verificationSessionId}/events`,
      {
        authorization,
      },
    )
    expect(JSON.parse((await stream.next()).data ?? '').state).toBe('RequestCreated')
    const event = await stream.next()
    expect(event).toMatchObject({ id: '2', event: 'session' })
    expect(JSON.parse(event.data ?? '')).toMatchObject({ state: 'Error', errorMessage: EXPIRED })
  })

  it('does not end by a HEAD, which changes nothing', async () => {
    let now = new Date()
    await using service = await startService({ clock: () => now, maintenance: false })
    const asked = await ask(service, { query: [ITEM], validity: 60 })
    now = new Date(now.getTime() + 60_000)
    expect((await fetch(asked.request_uri, { method: 'HEAD' })).status).toBe(410)
    expect((await sessionOf(service, asked)).state).toBe('RequestCreated')
    expect((await fetch(asked.request_uri)).status).toBe(410)
    expect((await sessionOf(service, asked)).state).toBe('Error')
  })

  it('also ends after it was fetched; then neither request nor answer is accepted', async () => {
    let now = new Date()
    await using service = await startService({ clock: () => now, maintenance: false })
    const asked = await ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt'), validity: 60 })
    const payload = await fetchRequest(asked)
    now = new Date(now.getTime() + 60_000)
    await expire(service, now)
    expect(await sessionOf(service, asked)).toMatchObject({ state: 'Error', errorMessage: EXPIRED })
    const gone = await fetch(asked.request_uri)
    expect([gone.status, await gone.json()]).toEqual([410, { error: 'invalid_request', error_description: EXPIRED }])
    const late = await postForm(payload.response_uri, { error: 'x', state: payload.state })
    expect([late.status, late.json.error_description]).toEqual([400, EXPIRED])
  })

  it.each(['fetch', 'answer'])('ends at once at a late %s, before the maintenance job runs', async (what) => {
    let now = new Date()
    await using service = await startService({ clock: () => now, maintenance: false })
    const asked = await ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt'), validity: 60 })
    const payload = await fetchRequest(asked)
    now = new Date(now.getTime() + 60_001)
    const status =
      what === 'fetch'
        ? (await fetch(asked.request_uri)).status
        : (await postForm(payload.response_uri, { error: 'x', state: payload.state })).status
    expect(status).toBe(what === 'fetch' ? 410 : 400)
    expect(await sessionOf(service, asked)).toMatchObject({ state: 'Error', errorMessage: EXPIRED })
  })

  it('that is fetched only after its expiry does not become retrieved: the session ends', async () => {
    let now = new Date()
    await using service = await startService({ clock: () => now, maintenance: false })
    const asked = await ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt'), validity: 60 })
    now = new Date(now.getTime() + 60_000)
    expect((await fetch(asked.request_uri)).status).toBe(410)
    const events = await service.platform.stores.events.after([{ sessionId: asked.verificationSessionId, after: 0 }])
    expect(events.map(({ data }) => data.state)).toEqual(['RequestCreated', 'Error'])
  })

  it('ends once for any number of readers, and an ended session does not change', async () => {
    let now = new Date()
    await using service = await startService({ clock: () => now, maintenance: false })
    const open: Asked[] = []
    for (let count = 0; count < 25; count += 1) open.push(await ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt') }))
    const ended = await ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt'), responseMode: 'direct_post' })
    const payload = await fetchRequest(ended)
    await postForm(payload.response_uri, { error: 'access_denied', state: payload.state })
    now = new Date(now.getTime() + 3_600_000)
    await Promise.all(Array.from({ length: 4 }, () => expire(service, now)))
    const statesOf = async ({ verificationSessionId: sessionId }: Asked) => {
      const events = await service.platform.stores.events.after([{ sessionId, after: 0 }])
      return events.map(({ seq, data }) => [seq, data.state, data.errorMessage])
    }
    for (const asked of open) {
      expect(await statesOf(asked)).toEqual([
        [1, 'RequestCreated', undefined],
        [2, 'Error', EXPIRED],
      ])
    }
    expect(await statesOf(ended)).toEqual([
      [1, 'RequestCreated', undefined],
      [2, 'RequestUriRetrieved', undefined],
      [3, 'Error', 'Wallet answered access_denied.'],
    ])
  })
})
