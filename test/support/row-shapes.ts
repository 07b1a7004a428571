import { checkRowsWith } from '../../server/database/row-check.js'

/** From now on a statement whose rows are not of the shape that it declares is an error. */
export function enforceRowShapes(): void {
  checkRowsWith((shape, rows, statement) => {
    for (const row of rows) {
      const { error } = shape.safeParse(row)
      if (error === undefined) continue
      const reasons = error.issues.map(({ path, message }) => `${path.map(String).join('.') || 'the row'}: ${message}`)
      throw new Error(`A row is not of the shape that its statement declares: ${reasons.join('; ')}\n${statement}`)
    }
  })
}
