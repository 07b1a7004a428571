import { describe, expect, it } from 'vitest'
import { createChanges } from '../../server/console/changes/changes.js'
import { NewsReader } from '../../server/console/changes/news.js'
import type { ChangeStore, News, OpenSession } from '../../server/console/changes/store.js'
import { createLog } from '../../server/log/log.js'

/** A store in memory with an audit table and the states of sessions. It records the questions of the reader. */
function newStore(sessions: OpenSession[] = []) {
  const events: News[] = []
  const asked: (readonly number[])[] = []
  const statesAsked: (readonly string[])[] = []
  const store: ChangeStore = {
    newest: async () => events.at(-1)?.id ?? 0,
    news: async (after, missing, limit) => {
      asked.push(missing)
      const found = events.filter(({ id }) => id > after || missing.includes(id)).toSorted((a, b) => a.id - b.id)
      return { events: found.slice(0, limit), counted: '' }
    },
    states: async ({ offerSessions }) => {
      statesAsked.push(offerSessions)
      const wanted = new Set(offerSessions)
      return sessions.filter(({ id }) => wanted.has(id))
    },
    openSessions: async () => [],
  }
  const add = (id: number, event = { subject: 'vp-query', subjectId: `of ${id}` }) => events.push({ id, ...event })
  return { store, asked, statesAsked, add }
}

describe('news of the audit', () => {
  it('the reader asks for a missing number as long as its transaction may be open, and no longer', async () => {
    let now = 0
    const { store, asked, add } = newStore()
    const reader = new NewsReader(
      store,
      (id) => id,
      () => now,
    )
    add(1)
    await reader.read()
    add(5)
    await reader.read()
    now = 9_999
    await reader.read()
    expect(asked.at(-1)).toEqual([2, 3, 4])
    add(3)
    expect((await reader.read()).map(({ id }) => id)).toEqual(['of 3'])
    now = 10_000
    await reader.read()
    await reader.read()
    expect(asked.at(-1)).toEqual([])
  })

  it('attack: a much higher number costs no more than a thousand missing numbers', async () => {
    const { store, asked, add } = newStore()
    const reader = new NewsReader(
      store,
      (id) => id,
      () => 0,
    )
    add(1)
    await reader.read()
    add(2 ** 40)
    expect((await reader.read()).map(({ id }) => id)).toEqual([`of ${2 ** 40}`])
    await reader.read()
    expect(asked.at(-1)).toHaveLength(1_000)
    add(2 ** 40 + 1)
    expect((await reader.read()).map(({ id }) => id)).toEqual([`of ${2 ** 40 + 1}`])
  })
})

describe('news of sessions', () => {
  const offering = (id: string) => ({ subject: 'offering', subjectId: id })
  const session = (id: string): OpenSession => ({ kind: 'credential-offer-session', id, state: 'Created' })

  it('a session with a change in the same state is reported, for example if it waits for a decision', async () => {
    const { store, add } = newStore([session('a'), session('b')])
    const reader = new NewsReader(
      store,
      (id) => id,
      () => 0,
    )
    add(1)
    await reader.read()
    add(2, offering('a'))
    add(3, offering('b'))
    expect(await reader.read()).toEqual([session('a'), session('b')])
    reader.heard('a')
    reader.heard('nobody')
    expect(await reader.read()).toEqual([session('a')])
    // After missed announcements all sessions are read. Only sessions whose state has changed are reported.
    reader.missed()
    expect(await reader.read()).toEqual([])
  })

  it('a transition without announcement, after its process was killed, is reported within ten seconds', async () => {
    let now = 0
    const states = [session('a'), session('b')]
    const { store, statesAsked, add } = newStore(states)
    const reader = new NewsReader(
      store,
      (id) => id,
      () => now,
    )
    add(1)
    await reader.read()
    add(2, offering('a'))
    add(3, offering('b'))
    await reader.read()
    const retrieved: OpenSession = { kind: 'credential-offer-session', id: 'a', state: 'OfferUriRetrieved' }
    states[0] = retrieved
    now = 9_999
    expect(await reader.read()).toEqual([])
    now = 10_000
    expect(await reader.read()).toEqual([retrieved])
    // The check of all sessions does not run at each query.
    const before = statesAsked.length
    now = 19_999
    expect(await reader.read()).toEqual([])
    expect(statesAsked.length).toBe(before)
  })

  it('attack: the process remembers only the latest ten thousand sessions', async () => {
    const ids = Array.from({ length: 10_500 }, (_, n) => `session ${n}`)
    const { store, statesAsked, add } = newStore(ids.map(session))
    const reader = new NewsReader(
      store,
      (id) => id,
      () => 0,
    )
    add(1)
    await reader.read()
    for (const [at, id] of ids.entries()) {
      add(at + 2, offering(id))
      if (at % 500 === 499) await reader.read()
    }
    for (const id of ['session 0', 'session 499', 'session 500', 'session 10499']) reader.heard(id)
    await reader.read()
    expect(statesAsked.at(-1)).toEqual(['session 500', 'session 10499'])
  })
})

describe('changes that a process remembers', () => {
  const CALLER = { caller: { sub: 'a' }, rights: { roles: [], isAdmin: true, mayIssue: true, mayVerify: true } }

  /** Makes streams of changes with a store that returns the given pages of news. */
  function newChanges(pages: Iterator<readonly News[]>) {
    let turns = 0
    const { store } = newStore()
    const changes = createChanges({
      store: {
        ...store,
        news: async () => {
          turns += 1
          return { events: turns === 1 ? [] : (pages.next().value ?? []), counted: '' }
        },
      },
      events: { places: { take: () => () => {} }, nameOf: (id) => id, follow: () => () => {} },
      clock: () => new Date(0),
      log: createLog('silent'),
      newId: () => 'series',
      everyMs: 1,
    })
    const watch = async (lastEventId?: string) => {
      const stream = await changes.watch({ ...CALLER, lastEventId, signal: new AbortController().signal })
      return async () => {
        const { value } = await stream.next()
        if (value === undefined) throw new Error('The stream ended.')
        const [id, change] = value
        return { id: String(id), of: change.id ?? change.kind }
      }
    }
    return { watch, turns: () => turns, end: () => changes.end() }
  }
  const page = (id: number, ...things: string[]): News[] =>
    things.map((subjectId, at) => ({ id: id + at, subject: 'vp-query', subjectId }))

  it('a waiting reader receives the last changes in order, so that no repeated change is lost', async () => {
    const { watch, turns, end } = newChanges([page(1, 'a', 'b'), page(3, 'a')].values())
    const next = await watch()
    expect(await next()).toEqual({ id: 'series.1', of: 'everything' })
    await expect.poll(turns).toBeGreaterThan(3)
    const again = await watch('series.1')
    const told = [await again(), await again()]
    end()
    expect(told).toEqual([
      { id: 'series.3', of: 'b' },
      { id: 'series.4', of: 'a' },
    ])
  })

  it('a forgotten position gives `everything`, even after few changes', async () => {
    function* often() {
      for (let id = 1; ; id += 1) yield page(id, 'often')
    }
    const { watch, turns, end } = newChanges(often())
    const next = await watch()
    const { id } = await next()
    await next()
    const seen = (await next()).id
    await expect.poll(turns).toBeGreaterThan(20)
    const soon = await watch(seen)
    expect((await soon()).of).toBe('often')
    await expect.poll(turns, { timeout: 60_000 }).toBeGreaterThan(1_100)
    const late = await watch(id)
    expect((await late()).of).toBe('everything')
    end()
  })
})
