import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** A smoke run: everything once and briefly. */
  readonly quick: boolean
  /** Times that every row is measured, in turns. */
  readonly rounds: number
  /** Seconds of one measurement of one row. */
  readonly seconds: number
  /** Seconds of load on every row before anything counts. */
  readonly warmUpSeconds: number
  /** Open streams. */
  readonly streams: number
  /** Only rows whose name contains this text. */
  readonly only: string
  /** Folder for a CPU profile of the service, made by Node when the service ends. */
  readonly profile: string | undefined
}

/** @throws where an argument is unknown or no number */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      streams: { type: 'string' },
      only: { type: 'string', default: '' },
      profile: { type: 'string' },
    },
  })
  const number = (name: 'rounds' | 'seconds' | 'streams', quick: number, full: number): number => {
    const value = Number(values[name] ?? (values.quick ? quick : full))
    if (!(value > 0)) throw new Error(`--${name} must be a number above 0.`)
    return value
  }
  return {
    quick: values.quick,
    rounds: Math.ceil(number('rounds', 1, 7)),
    seconds: number('seconds', 0.4, 2),
    warmUpSeconds: values.quick ? 0.2 : 2,
    streams: Math.ceil(number('streams', 200, 5_000)),
    only: values.only.toLowerCase(),
    profile: values.profile,
  }
}
