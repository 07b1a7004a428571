import type { Sample } from '../measure/sample.js'

/** One line of the table: something that can be measured again and again. */
export interface Row {
  readonly name: string
  /** What it is a ratio of, and at least how much that should be. */
  readonly goal?: { readonly of: string; readonly atLeast: number }
  /** CPU time of the service for one operation, in milliseconds, that should not be exceeded. */
  readonly cpuGoalMs?: number
  /** How much more of it than another row should be the most. */
  readonly cpuOver?: { readonly of: string; readonly atMostMs: number }
  measure(seconds: number): Promise<Sample>
}
