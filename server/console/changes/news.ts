import { type Change, EVERYTHING, kindOf, STATISTICS } from './change.js'
import type { ChangeStore, ListedState, News, OpenSession, SessionKey } from './store.js'

/** Maximum number of audit events in one read. If there are more, the reader reports only EVERYTHING. */
const MAX_NEWS = 1_000
/** Reading begins this many numbers before the newest audit event, to include transactions that have not committed. */
const BEFORE = 500
/**
 * Milliseconds for which the reader looks for the event of a missing number. The transaction of such an event may not
 * have committed yet.
 */
const MISSING_MS = 10_000
const MAX_MISSING = 1_000
/**
 * Milliseconds between two reads of all known sessions. The reads are needed because a process may change a session and
 * end before it announces the change.
 */
const LOOK_EVERY_MS = 10_000
/** Maximum number of known sessions. A change of state is noticed only for known sessions. */
const MAX_SESSIONS = 10_000
/** Maximum number of sessions in each state that are loaded when reading begins. */
const FORMER_SESSIONS = 1_000

/**
 * Reads the changes since the previous read, from the audit table and from the announcements that processes make when
 * sessions change.
 */
export class NewsReader {
  readonly #store: ChangeStore
  readonly #nameOf: (sessionId: string) => string
  readonly #clock: () => number
  /** The number of the newest audit event that was read; undefined before the first read. */
  #position: number | undefined
  /** Numbers below the position whose events were missing, each with the time when this was noticed. */
  #missing = new Map<number, number>()
  #counted: string | undefined
  /** Known sessions with their last known state, by the name of their announcements. The least recently read session is first. */
  readonly #sessions = new Map<string, OpenSession>()
  /** True if announcements may have been missed. */
  #deaf = false
  /** The time of the last read of all sessions. */
  #lookedAt = 0
  readonly #moved = new Map<string, SessionKey>()

  /** @param clock milliseconds, only for durations */
  constructor(store: ChangeStore, nameOf: (sessionId: string) => string, clock: () => number) {
    this.#store = store
    this.#nameOf = nameOf
    this.#clock = clock
  }

  /** Records an announcement that the session with this name has changed. */
  heard(name: string): void {
    const session = this.#sessions.get(name)
    if (session !== undefined) this.#moved.set(name, session)
  }

  /** Records that sessions may have changed although no announcement arrived here. */
  missed(): void {
    this.#deaf = true
  }

  /**
   * Returns the changes since the last read, or {@link EVERYTHING} if there are too many. It must not be called again
   * before it has returned.
   */
  async read(): Promise<Change[]> {
    try {
      return await (this.#position === undefined ? this.#begin() : this.#goOn(this.#position))
    } catch (error) {
      // Some changes may be lost, so reading begins again.
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
    // Screens may show states that are older than the position at which reading begins. So everything must be read
    // again.
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
    // A session may change although its state stays the same. An example is an offer that waits for a decision.
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
