import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Database } from '../../server/database/connect.js'
import { createStandby, type Standby } from '../../server/database/replica/standby.js'
import { createLog } from '../../server/log/log.js'

interface Answer {
  standby: boolean
  level: boolean | null
  at: Date | null
  database: string
}

const HOUR_MS = 3_600_000
const PRIMARY_AT = Date.UTC(2026, 0, 1)

/** The time of the process's clock, in milliseconds. */
let now = 0
/** The replica's answers, in order. The last answer repeats. */
let answers: (() => Promise<Answer>)[]
let asked: number
let standby: Standby

const answering =
  (answer: Partial<Answer>): (() => Promise<Answer>) =>
  async () => ({ standby: true, level: false, at: new Date(PRIMARY_AT), database: 'one', ...answer })
/** The answer of a replica that lacks the commits of the last `ms` milliseconds. */
const behind = (ms: number) => answering({ at: new Date(PRIMARY_AT - ms) })
const LEVEL = answering({ level: true, at: new Date(PRIMARY_AT - HOUR_MS) })

/** Makes a database that answers every statement with the given row. */
const saying = (row: () => Promise<unknown>) =>
  ({ sql: () => async () => [await row()] }) as unknown as Pick<Database, 'sql'>

beforeAll(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => now)
})
afterAll(() => vi.restoreAllMocks())
beforeEach(() => {
  now = HOUR_MS
  asked = 0
  answers = [LEVEL]
  const primary = saying(async () => ({ lsn: '0/1', at: new Date(PRIMARY_AT), database: 'one' }))
  const replica = saying(() => {
    const answer = answers[Math.min(asked, answers.length - 1)] ?? LEVEL
    asked += 1
    return answer()
  })
  standby = createStandby({ primary, replica }, createLog('silent'))
})

describe('a replica', () => {
  it('that has all commits is used, even if the last commit was long ago', async () => {
    expect(await standby.standing()).toBe('replica')
    expect(asked).toBe(1)
  })

  it('that has replayed nothing yet is not used, because its delay is unknown', async () => {
    answers = [answering({ level: null, at: null })]
    expect(await standby.standing()).toBe('behind')
  })

  it('of an idle primary is used although it still has to replay one commit', async () => {
    answers = [behind(HOUR_MS), LEVEL]
    expect(await standby.standing()).toBe('replica')
    expect(asked).toBe(2)
  })

  it.each([
    [10_000, 'replica'],
    [10_001, 'behind'],
  ])('that is %i ms behind: %s', async (ms, standing) => {
    answers = [behind(ms)]
    expect(await standby.standing()).toBe(standing)
  })

  it('is checked once a second, and may be used between checks until its data are ten seconds old', async () => {
    answers = [behind(9_500)]
    expect(await standby.standing()).toBe('replica')
    now += 500
    expect(await standby.standing()).toBe('replica')
    now += 1
    expect(await standby.standing()).toBe('behind')
    expect(asked).toBe(1)
  })

  it('is unavailable if a read failed during a check, with every result of the check', async () => {
    let answer = (_: Answer) => {}
    answers = [() => new Promise<Answer>((resolve) => (answer = resolve))]
    const standing = standby.standing()
    await expect.poll(() => asked).toBe(1)
    now += 1
    standby.failed(new Error('broken'))
    answer(await LEVEL())
    expect(await standing).toBe('away')
  })

  it('that does not answer is unavailable: the wait has a limit, and the replica is checked again', async () => {
    answers = [() => new Promise<Answer>(() => {}), LEVEL]
    expect(await standby.standing()).toBe('away')
    now += 1_000
    await expect.poll(() => standby.standing()).toBe('replica')
    expect(asked).toBe(2)
  })

  it('whose reads fail again within two minutes is not used for twice as long each time, for at most a minute', async () => {
    const leftAlone: number[] = []
    const fail = async () => {
      expect(await standby.standing()).toBe('replica')
      standby.failed(new Error('broken'))
      const before = asked
      let seconds = 0
      do {
        now += 1_000
        seconds += 1
        await standby.standing()
        // `standing` does not wait for the replica's answer.
        await new Promise(setImmediate)
      } while (asked === before)
      leftAlone.push(seconds)
      await expect.poll(() => standby.standing()).toBe('replica')
    }
    for (let failures = 0; failures < 8; failures += 1) await fail()
    now += 120_001
    await fail()
    expect(leftAlone).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 1])
  })
})
