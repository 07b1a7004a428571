import type { z } from 'zod'

/** Looks at the rows of a statement before anybody uses them. */
export type RowCheck = (shape: z.ZodType, rows: readonly unknown[], statement: string) => void

let check: RowCheck | undefined

/**
 * Lets every statement's rows be looked at from now on; in the whole process. The tests hold rows to the shapes that
 * their statements declare; the service itself believes them, since looking would cost more than the statement.
 */
export function checkRowsWith(rowCheck: RowCheck | undefined): void {
  check = rowCheck
}

/** The rows of a statement as the type of the shape that it declares. */
export function rowsOf<Row>(shape: z.ZodType<Row>, rows: readonly unknown[], statement: string): Row[] {
  check?.(shape, rows, statement)
  return rows as Row[]
}
