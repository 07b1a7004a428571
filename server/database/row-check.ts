import type { z } from 'zod'

/** Checks the rows of a statement before they are returned. */
export type RowCheck = (shape: z.ZodType, rows: readonly unknown[], statement: string) => void

let check: RowCheck | undefined

/**
 * From now on checks the rows of every statement of this process. The tests compare rows with the shapes that their
 * statements declare; the service itself does not, since the check would cost more than the statement.
 */
export function checkRowsWith(rowCheck: RowCheck | undefined): void {
  check = rowCheck
}

/** The rows of a statement as the type of the shape that it declares. */
export function rowsOf<Row>(shape: z.ZodType<Row>, rows: readonly unknown[], statement: string): Row[] {
  check?.(shape, rows, statement)
  return rows as Row[]
}
