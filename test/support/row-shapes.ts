import { checkRowsWith } from '../../server/database/row-check.js'

/** Makes every later statement fail if its rows do not have the declared shape. */
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
