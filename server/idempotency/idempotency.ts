import { setTimeout as sleep } from 'node:timers/promises'
import { type KeyedCall, type Once, type Outcome, REPLAYED } from '../api/context.js'
import { errors, type ServiceError } from '../api/errors.js'
import { sqlStateOf } from '../database/errors.js'
import type { UnitOfWork } from '../database/unit-of-work.js'
import type { Vault } from '../keys/vault.js'
import { dueRows, type MaintenanceTask, secondsBefore } from '../maintenance/task.js'
import type { Metrics } from '../metrics/metrics.js'
import { MAX_ANSWER, refusalOf, replayed, storedAnswer } from './answer.js'
import { createCallerLimit, MAX_KEYS } from './caller-limit.js'
import { createHashes, type Hashes } from './hashes.js'
import { idempotencyKey } from './key.js'
import type { IdempotencyStore, KnownKey } from './store.js'
import { createKeyTurns } from './turns.js'

/** How long a key and its answer are stored, in seconds. */
export const KEPT_SECONDS = 24 * 60 * 60

/**
 * How long a request works for a key before another may replace it, in seconds. It is twice the time of the longest operation, a
 * hosted wallet's exchange with another service.
 */
export const LEASE_SECONDS = 60

/** The first and the longest pause between two reads of a key that another process works for, in milliseconds. */
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 500

/** SQLSTATE feature_not_supported: a migration changed the columns of a statement. */
const STATEMENT_CHANGED = '0A000'

/** Limits that tests set. */
export interface IdempotencyLimits {
  /** How long an equal request waits for the running one, in milliseconds. Default: 10,000. */
  readonly waitMs?: number
  /** The highest number of keys of a caller within 24 hours. Default: 1,000,000. */
  readonly maxKeys?: number
  /** The highest number of characters of a stored answer. Default: 1 MiB. */
  readonly maxAnswer?: number
}

/** The ports of {@link createIdempotency}. */
export interface IdempotencyPorts {
  readonly store: IdempotencyStore
  readonly newUnit: () => UnitOfWork
  readonly vault: Vault
  readonly sealingKey: (label: string) => Uint8Array
  /** The issuer of access tokens; undefined without one. */
  readonly tokenIssuer: string | undefined
  readonly metrics: Pick<Metrics, 'idempotency'>
  readonly clock: () => Date
  readonly newId: () => string
  readonly limits?: IdempotencyLimits | undefined
}

export type Idempotency = ReturnType<typeof createIdempotency>

/**
 * Requests that create something once, although they are sent several times
 * (draft-ietf-httpapi-idempotency-key-header-07).
 */
export function createIdempotency(ports: IdempotencyPorts) {
  const { store, newUnit, vault, sealingKey, tokenIssuer, metrics, clock, newId } = ports
  const { waitMs = 10_000, maxKeys = MAX_KEYS, maxAnswer = MAX_ANSWER } = ports.limits ?? {}
  const hashesOf = createHashes(sealingKey('idempotency'))
  const mayHaveMore = createCallerLimit({ count: store.count, clock, maxKeys })
  const turns = createKeyTurns()

  const place = (id: string) => ({ column: 'idempotency_keys.answer', id }) as const

  const claimed = (hashes: Hashes, claim: string): Promise<KnownKey | undefined> => {
    const now = clock()
    return store.claim({
      ...{ ...hashes, claim, now },
      leasedUntil: secondsBefore(now, -LEASE_SECONDS),
      expiresAt: secondsBefore(now, -KEPT_SECONDS),
    })
  }

  const refused = (outcome: 'running' | 'other-request'): ServiceError => {
    metrics.idempotency(outcome)
    return outcome === 'running' ? errors.keyInUse() : errors.keyOfOtherRequest()
  }

  /**
   * Claims a key. If another process works for the key, it waits for the answer.
   *
   * @param until until when it waits, by the clock of `performance.now`
   * @returns undefined if this request now works for the key
   * @throws 409 if the running request takes too long; 422 if the key belongs to another request
   */
  async function claimOrWait(hashes: Hashes, claim: string, hasWaited: boolean, until: number) {
    let pause = FIRST_PAUSE_MS
    const found = async () => (await store.find(hashes.id, clock())) ?? (await claimed(hashes, claim))
    let known = hasWaited ? await found() : await claimed(hashes, claim)
    for (;;) {
      if (known?.isMine === true) return undefined
      if (known !== undefined && known.request !== hashes.request) throw refused('other-request')
      if (known?.isAnswered === true) return known
      if (performance.now() >= until) throw refused('running')
      await sleep(pause * (0.5 + Math.random() / 2))
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2)
      known = await found()
    }
  }

  async function replay({ answer }: KnownKey, id: string, call: KeyedCall): Promise<Outcome> {
    metrics.idempotency('replayed')
    if (answer === null) throw errors.answerTooLong()
    const outcome = replayed(await vault.reveal(place(id), answer), call)
    call.responseHeaders.set(REPLAYED, 'true')
    return outcome
  }

  /** Stores the answer and commits it with the effect. @returns false if there is nothing to store: no effect */
  async function committed(unit: UnitOfWork, id: string, claim: string, outcome: Outcome, call: KeyedCall) {
    // A refusal without an effect needs no answer: the same request is refused again, or succeeds later.
    if (!outcome.ok && (refusalOf(outcome) === undefined || !(await unit.hasChanged()))) return false
    const text = storedAnswer(outcome, call, maxAnswer)
    const answer = text === null ? null : await vault.protect(place(id), text)
    if (!(await unit.run(() => store.complete({ id, claim }, answer, clock())))) throw refused('running')
    await unit.commit()
    return true
  }

  async function work<Result extends Outcome>(
    { id, caller }: Hashes,
    claim: string,
    call: KeyedCall,
    act: () => Promise<Result>,
  ): Promise<Result> {
    const unit = newUnit()
    let isCommitted = false
    try {
      if (!(await mayHaveMore(caller))) throw errors.tooManyKeys()
      const outcome = await unit.run(act)
      isCommitted = await committed(unit, id, claim, outcome, call)
      if (!outcome.ok && sqlStateOf(outcome.error) === STATEMENT_CHANGED)
        throw errors.databaseUnavailable(outcome.error)
      return outcome
    } finally {
      if (!isCommitted) {
        await unit.rollback()
        // If the release fails, the lease ends by itself.
        await store.release({ id, claim }).catch(() => undefined)
      }
    }
  }

  /** Calls an operation once for each key of a caller. Without a key, it only calls the operation. */
  const once: Once = async <Result extends Outcome>(call: KeyedCall, act: () => Promise<Result>): Promise<Result> => {
    const key = idempotencyKey(call.headers['idempotency-key'])
    if (key === undefined) return act()
    if (call.calls > 1) throw errors.badRequest('Idempotency-Key is for one call: send the calls in separate requests')
    const { callers, operation, input } = call
    const hashes = hashesOf({ key, caller: [tokenIssuer ?? '', ...callers], operation, input })
    const claim = newId()
    const until = performance.now() + waitMs
    const turn = await turns.take(hashes.id, waitMs)
    if (turn === undefined) throw refused('running')
    try {
      const known = await claimOrWait(hashes, claim, turn.hasWaited, until)
      if (known === undefined) return await work(hashes, claim, call, act)
      // The outcome of a stored answer has the form of the operation's own outcome.
      return (await replay(known, hashes.id, call)) as Result
    } finally {
      turn.end()
    }
  }

  const tasks: readonly MaintenanceTask[] = [
    dueRows({ name: 'remove idempotency keys', everyMs: 60_000, batch: store.removeExpired }),
  ]

  return { once, tasks }
}
