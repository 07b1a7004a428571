import { type Change, EVERYTHING, kindOf, STATISTICS } from './change.js'
import type { ChangeStore, ListedState, News, OpenSession, SessionKey } from './store.js'

/** Audit events that are read at once; where there are more, nothing is told one by one. */
const MAX_NEWS = 1_000
/** How far before the newest audit event reading begins, so that transactions are heard of that are under way. */
const BEFORE = 500
/** For how long, in milliseconds, a missing number is asked for: the transaction that has it may still be under way. */
const MISSING_MS = 10_000
const MAX_MISSING = 1_000
/** How often, in milliseconds, all sessions are looked at that are known: a process may end between a transition and its announcement. */
const LOOK_EVERY_MS = 10_000
/** Sessions whose transitions are recognised. */
const MAX_SESSIONS = 10_000
/** Sessions that had not ended when reading began, of each state. */
const FORMER_SESSIONS = 1_000

/** Reads what changed since it was asked last, from the audit table and from what processes announce of sessions. */
export class NewsReader {
  readonly #store: ChangeStore
  readonly #nameOf: (sessionId: string) => string
  readonly #clock: () => number
  /** The number of the newest audit event that was read; undefined before the first time. */
  #position: number | undefined
  /** Numbers below it that were not there, with when that was noticed. */
  #missing = new Map<number, number>()
  #counted: string | undefined
  /** By the names under which sessions are announced, as they were last. The one that was heard of longest ago stands first. */
  readonly #sessions = new Map<string, OpenSession>()
  /** Whether announcements may have been missed. */
  #deaf = false
  /** When all were looked at last. */
  #lookedAt = 0
  readonly #moved = new Map<string, SessionKey>()

  /** @param clock milliseconds, for durations alone */
  constructor(store: ChangeStore, nameOf: (sessionId: string) => string, clock: () => number) {
    this.#store = store
    this.#nameOf = nameOf
    this.#clock = clock
  }

  /** A session was announced, by that name, to have gone on. */
  heard(name: string): void {
    const session = this.#sessions.get(name)
    if (session !== undefined) this.#moved.set(name, session)
  }

  /** Sessions may have gone on without being announced here. */
  missed(): void {
    this.#deaf = true
  }

  /** What changed; {@link EVERYTHING} where that is too much to tell. Not to be called again before it has answered. */
  async read(): Promise<Change[]> {
    try {
      return await (this.#position === undefined ? this.#begin() : this.#goOn(this.#position))
    } catch (error) {
      // Part of it may be lost.
      this.#position = undefined
      throw error
    }
  }

  async #goOn(position: number): Promise<Change[]> {
    const now = this.#clock()
    if (now - this.#lookedAt >= LOOK_EVERY_MS) this.#deaf = true
    const { events, counted } = await this.#store.news(position, [...this.#missing.keys()], MAX_NEWS)
    if (events.length >= MAX_NEWS) return this.#begin()
    this.#note(events, now)
    const changes = await this.#changesOf(events)
    if (this.#counted !== counted) changes.push(STATISTICS)
    this.#counted = counted
    return changes
  }

  async #begin(): Promise<Change[]> {
    const newest = await this.#store.newest()
    this.#lookedAt = this.#clock()
    for (const session of await this.#store.openSessions(FORMER_SESSIONS)) this.#know(session)
    const position = Math.max(0, newest - BEFORE)
    const { events, counted } = await this.#store.news(position, [], MAX_NEWS)
    this.#missing.clear()
    this.#position = position
    this.#note(events, this.#clock())
    this.#counted = counted
    // What was shown may be older than where reading begins.
    return [EVERYTHING]
  }

  #note(events: readonly News[], now: number): void {
    const before = this.#position ?? 0
    for (const [number, since] of this.#missing) if (now - since >= MISSING_MS) this.#missing.delete(number)
    let next = before + 1
    for (const { id } of events) {
      this.#missing.delete(id)
      for (; next < id && this.#missing.size < MAX_MISSING; next += 1) this.#missing.set(next, now)
      next = Math.max(next, id + 1)
    }
    this.#position = next - 1
  }

  #know(session: OpenSession): void {
    const name = this.#nameOf(session.id)
    this.#sessions.delete(name)
    this.#sessions.set(name, session)
    if (this.#sessions.size <= MAX_SESSIONS) return
    for (const [oldest] of this.#sessions) {
      this.#sessions.delete(oldest)
      return
    }
  }

  async #changesOf(events: readonly News[]): Promise<Change[]> {
    const ids = (subject: string) =>
      new Set(events.filter((event) => event.subject === subject).map(({ subjectId }) => subjectId))
    const offerings = ids('offering')
    const known = new Map(this.#sessions)
    const moved: readonly SessionKey[] = [...this.#moved.values()]
    const asked = this.#deaf ? [...moved, ...known.values()] : moved
    if (this.#deaf) this.#lookedAt = this.#clock()
    this.#moved.clear()
    this.#deaf = false
    const askedOf = (kind: SessionKey['kind']) => asked.filter((session) => session.kind === kind).map(({ id }) => id)
    const wanted = {
      offerSessions: [...new Set([...offerings, ...askedOf('credential-offer-session')])],
      verificationSessions: [...new Set([...ids('verification-session'), ...askedOf('verification-session')])],
      credentials: [...ids('credential')],
      schemas: [...ids('schema')],
    }
    const states = Object.values(wanted).some(({ length }) => length > 0) ? await this.#store.states(wanted) : []
    for (const session of states.filter(isSession)) this.#know(session)
    // A session may go on in the same state: an offer that waits for a decision does.
    const wentOn = new Set([...moved.map(({ id }) => id), ...events.map(({ subjectId }) => subjectId)])
    const isNews = (state: ListedState) =>
      !isSession(state) || wentOn.has(state.id) || known.get(this.#nameOf(state.id))?.state !== state.state
    const withSession = new Set(states.filter(isSession).map(({ id }) => id))
    const stateless = new Map<string, Change>()
    for (const { subject, subjectId } of events) {
      if (OF_STATES.has(subject)) continue
      if (subject === 'offering' && withSession.has(subjectId)) continue
      const kind = subject === 'offering' ? subject : kindOf(subject)
      stateless.set(`${kind} ${subjectId}`, { kind, id: subjectId, state: null })
    }
    return [...states.filter(isNews), ...stateless.values()]
  }
}

const OF_STATES: ReadonlySet<string> = new Set(['verification-session', 'credential', 'schema'])

const isSession = (state: ListedState): state is OpenSession =>
  state.kind === 'credential-offer-session' || state.kind === 'verification-session'
