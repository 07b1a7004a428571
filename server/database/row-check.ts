import type { z } from 'zod'

/** Checks the rows of a statement before they are returned. */
export type RowCheck = (shape: z.ZodType, rows: readonly unknown[], statement: string) => void

let check: RowCheck | undefined

/**
 * Sets the check for the rows of every later statement of this process. Only tests set a check: it compares rows with
 * the shapes that their statements declare. In the running service, the check would cost more than the statement.
 */
export function checkRowsWith(rowCheck: RowCheck | undefined): void {
  check = rowCheck
}

/** Returns the rows of a statement, with the type of the declared shape. */
export function rowsOf<Row>(shape: z.ZodType<Row>, rows: readonly unknown[], statement: string): Row[] {
  check?.(shape, rows, statement)
  return rows as Row[]
}
