import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import { StatementError } from './errors.js'
import { NestedTransaction } from './nested-transaction.js'
import { send } from './send.js'

/** The part of a pool that a unit of work needs. */
export interface UnitPool {
  /** Takes a connection of the pool, which the caller must release. */
  take(): Promise<pg.PoolClient>
  /** Runs a statement outside of all units. */
  alone<Answer>(asked: pg.QueryConfig): Promise<Answer>
  /** Limits how many units hold a connection at the same time. */
  readonly turns: Turns
}

interface Current {
  readonly unit: UnitOfWork
  /** Whether the running function belongs to a store that takes part. */
  readonly joined: boolean
}

const storage = new AsyncLocalStorage<Current | undefined>()

/** A limited number of turns. A caller waits until a turn is free. */
export class Turns {
  readonly #waiting = new Set<() => void>()
  readonly #waitMs: number
  #free: number

  /** @param waitMs how long a caller waits at most, in milliseconds; 0 for no limit */
  constructor(most: number, waitMs: number) {
    this.#free = Math.max(1, most)
    this.#waitMs = waitMs
  }

  /** @throws the error of a pool without a free connection */
  take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const begin = () => {
        clearTimeout(timer)
        resolve()
      }
      this.#waiting.add(begin)
      if (this.#waitMs === 0) return
      timer = setTimeout(() => {
        this.#waiting.delete(begin)
        reject(new Error('timeout exceeded when trying to connect'))
      }, this.#waitMs)
    })
  }

  give(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free += 1
      return
    }
    this.#waiting.delete(next)
    next()
  }
}

/** Statements that change nothing run outside of the transaction until it has begun. */
const CHANGES = /\b(?:INSERT|UPDATE|DELETE|LOCK)\b|pg_advisory_xact_lock/i

/** PostgreSQL gives a transaction an id when it writes or locks a row. */
const CHANGED = 'SELECT pg_current_xact_id_if_assigned() IS NOT NULL AS changed'

const textOf = (asked: pg.QueryConfig | string): string => (typeof asked === 'string' ? asked : asked.text)

/**
 * Statements of one request that are committed together. The transaction begins with the first statement that changes
 * something, so no connection is held before. A savepoint before each statement keeps the behaviour of single
 * statements: after a refused statement, the operation may send another one.
 */
export class UnitOfWork {
  readonly #pool: UnitPool
  readonly #after: (() => void)[] = []
  #connection: pg.PoolClient | undefined
  /** Statements share one connection, so each waits for the previous one. */
  #last: Promise<unknown> = Promise.resolve()
  #state: 'open' | 'ended' = 'open'

  constructor(pool: UnitPool) {
    this.#pool = pool
  }

  /** Whether a statement has changed something. */
  get hasBegun(): boolean {
    return this.#connection !== undefined
  }

  /** Whether there are changes that are not yet committed. */
  get isPending(): boolean {
    return this.hasBegun && this.#state === 'open'
  }

  /** Runs a function whose stores take part in this unit. */
  run<T>(act: () => Promise<T>): Promise<T> {
    return storage.run({ unit: this, joined: false }, act)
  }

  /** Whether a statement to this pool belongs to the unit. */
  takes(pool: UnitPool, asked: pg.QueryConfig | string): boolean {
    return this.#state === 'open' && pool === this.#pool && (this.hasBegun || CHANGES.test(textOf(asked)))
  }

  /** Whether transactions over this pool belong to the unit. */
  takesTransactions(pool: UnitPool): boolean {
    return this.#state === 'open' && pool === this.#pool
  }

  /** Runs one statement in the transaction. @throws the driver's own error */
  ask<Answer>(asked: pg.QueryConfig): Promise<Answer> {
    return this.#inTurn(async () => {
      // The operation did not wait for the statement, and the unit has ended meanwhile.
      if (this.#state === 'ended') return this.#pool.alone<Answer>(asked)
      const connection = await this.#begun()
      try {
        return await send<Answer>(connection, asked)
      } catch (thrown) {
        await connection.query('ROLLBACK TO SAVEPOINT statement').catch(() => undefined)
        throw thrown
      }
    })
  }

  /** Begins a transaction of Prisma, which becomes a part of the unit's transaction. */
  async nested(): Promise<NestedTransaction | pg.PoolClient> {
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const before = this.#last
    this.#last = held
    await before
    try {
      if (this.#state === 'ended') {
        release()
        return await this.#pool.take()
      }
      return new NestedTransaction(await this.#begun(), release)
    } catch (thrown) {
      release()
      throw thrown
    }
  }

  /** Whether a statement has changed or locked a row. */
  async hasChanged(): Promise<boolean> {
    if (!this.isPending) return false
    const { rows } = await this.#inTurn(async () => this.#connection?.query(CHANGED) ?? { rows: [] })
    return rows[0]?.changed === true
  }

  /** Calls a function after the commit, or never if the unit is rolled back. */
  afterCommit(act: () => void): void {
    this.#after.push(act)
  }

  /** @throws StatementError if the database did not confirm the commit. It may have committed nevertheless. */
  async commit(): Promise<void> {
    await this.#end('COMMIT')
    for (const act of this.#after) act()
  }

  /** Undoes all changes. Never rejects. */
  async rollback(): Promise<void> {
    await this.#end('ROLLBACK').catch(() => undefined)
  }

  #end(how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    return this.#inTurn(async () => {
      const connection = this.#connection
      if (connection === undefined || this.#state === 'ended') {
        this.#state = 'ended'
        return
      }
      this.#state = 'ended'
      let isBroken = true
      try {
        const { command } = await connection.query(how)
        if (command !== how) throw new Error(`The transaction ended with ${command}.`)
        isBroken = false
      } catch (cause) {
        throw new StatementError(cause)
      } finally {
        connection.removeListener('error', ignore)
        connection.release(isBroken)
        this.#pool.turns.give()
      }
    })
  }

  async #begun(): Promise<pg.PoolClient> {
    if (this.#connection !== undefined) {
      await this.#connection.query('RELEASE SAVEPOINT statement; SAVEPOINT statement')
      return this.#connection
    }
    await this.#pool.turns.take()
    let connection: pg.PoolClient | undefined
    try {
      connection = await this.#pool.take()
      // A lost connection also fails the running statement. Without a listener, the event would end the process.
      connection.on('error', ignore)
      await connection.query('BEGIN; SAVEPOINT statement')
      this.#connection = connection
      return connection
    } catch (thrown) {
      connection?.removeListener('error', ignore)
      connection?.release(true)
      this.#pool.turns.give()
      throw thrown
    }
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(act)
    this.#last = turn.catch(() => undefined)
    return turn
  }
}

function ignore(): void {}

/** The unit to which the statements of the running function belong. */
export function joinedUnit(): UnitOfWork | undefined {
  const current = storage.getStore()
  return current?.joined === true ? current.unit : undefined
}

/** Runs a function whose statements do not belong to the unit of the request, for example because requests share them. */
export const outsideUnit = <T>(act: () => T): T => (storage.getStore() === undefined ? act() : storage.exit(act))

/** Calls a function after the commit of the unit of the request, or now if there is no unit with changes. */
export function afterCommit(act: () => void): void {
  const unit = storage.getStore()?.unit
  if (unit?.isPending === true) unit.afterCommit(act)
  else act()
}

/** Prisma's queries are sent when their `then` is called. It is called here, so that they belong to the unit. */
const sent = <T>(asked: T): T => {
  if (asked instanceof Promise || typeof (asked as { then?: unknown } | undefined)?.then !== 'function') return asked
  // The line above has checked that it has `then`.
  const lazy = asked as unknown as PromiseLike<unknown>
  return new Promise((resolve, reject) => lazy.then(resolve, reject)) as T
}

/**
 * Makes a store whose statements belong to the unit of the request, if the request has one. A store with effects of
 * the API takes part. A store of things that requests share must not: a rolled back request would undo what other
 * requests use.
 */
export function joining<Store extends object>(store: Store): Store {
  const members = Object.entries(store).map(([name, member]) => {
    if (typeof member !== 'function') return [name, member] as const
    const joined = (...given: unknown[]): unknown => {
      const current = storage.getStore()
      if (current === undefined || current.joined) return member(...given)
      return storage.run({ unit: current.unit, joined: true }, () => sent(member(...given)))
    }
    return [name, joined] as const
  })
  return Object.fromEntries(members) as Store
}
