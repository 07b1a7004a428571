import { z } from 'zod'
import { type ColumnResult, rowOf } from './results.js'

const zExpectation = z.strictObject({
  /** The number of modules in the plan. */
  modules: z.int().min(1),
  /** The rows whose outcome is not PASSED, with this outcome. */
  otherwise: z.record(z.string(), z.string()),
})

const zExpectations = z.record(z.string(), zExpectation)

/** The expected outcomes of modules, by the id of a column. */
export type Expectations = z.infer<typeof zExpectations>

/** Reads the text of a file of expectations. @throws {Error} if the text does not have the expected shape */
export const readExpectations = (text: string): Expectations => zExpectations.parse(JSON.parse(text))

/** Returns the differences between a run and the expectations, as sentences. */
export function differencesOf(column: ColumnResult, expectations: Expectations): string[] {
  const expected = expectations[column.id]
  if (expected === undefined) return [`${column.id}: nothing is expected of it.`]
  const { modules, variant, id } = column
  const rows = new Map(modules.map((outcome) => [rowOf(outcome, variant), outcome.outcome]))
  const missing = Object.keys(expected.otherwise).filter((row) => !rows.has(row))
  return [
    ...(modules.length === expected.modules
      ? []
      : [`${id}: ${modules.length} modules ran, ${expected.modules} were expected.`]),
    ...missing.map((row) => `${id}: ${row} did not run.`),
    ...[...rows].flatMap(([row, outcome]) => {
      const wanted = expected.otherwise[row] ?? 'PASSED'
      return outcome === wanted ? [] : [`${id}: ${row} ended in ${outcome}, expected was ${wanted}.`]
    }),
  ]
}

/** Converts the results of a run to the expectations for the next run. */
export function expectationOf({ modules, variant }: ColumnResult): Expectations[string] {
  const others = modules.filter(({ outcome }) => outcome !== 'PASSED')
  return {
    modules: modules.length,
    otherwise: Object.fromEntries(others.map((outcome) => [rowOf(outcome, variant), outcome.outcome])),
  }
}
