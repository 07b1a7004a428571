/** One measurement of one row. */
export interface Sample {
  readonly operations: number
  /** Number of operations in a second. */
  readonly perSecond: number
  /** Milliseconds from the start of an operation to its end. */
  readonly p50: number
  readonly p99: number
  /** CPU time of the measured process for one operation, in milliseconds. */
  readonly cpuMs: number
  /** Resident memory of the measured process afterwards. */
  readonly residentMiB: number
}

/** A sample that also has the work of PostgreSQL. */
export interface FullSample extends Sample {
  /** CPU time of PostgreSQL for one operation, in milliseconds; NaN if the server is on another machine. */
  readonly postgresMs: number
  /** Number of writing transactions for one operation. */
  readonly commits: number
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper
}

/** The percentile of values (nearest rank): the smallest value that is not exceeded by this share of the values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export function medianSample(samples: readonly FullSample[]): FullSample {
  const of = (measure: keyof FullSample) => median(samples.map((sample) => sample[measure]))
  return {
    operations: of('operations'),
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    cpuMs: of('cpuMs'),
    residentMiB: of('residentMiB'),
    postgresMs: of('postgresMs'),
    commits: of('commits'),
  }
}
