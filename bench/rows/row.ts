import type { Sample } from '../measure/sample.js'
import type { Goal } from './goal.js'

/** One line of the table: something that can be measured again and again. */
export interface Row {
  readonly name: string
  readonly goals?: readonly Goal[]
  measure(seconds: number): Promise<Sample>
}
