import type { Sample } from '../measure/sample.js'
import type { Goal } from './goal.js'

/** One line of the table, with a measurement that can be repeated. */
export interface Row {
  readonly name: string
  readonly goals?: readonly Goal[]
  measure(seconds: number): Promise<Sample>
}
