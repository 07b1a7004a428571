/**
 * Thrown if the database cannot be migrated to this version. The message contains the reason, and what the operator can
 * do.
 */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'

  /**
   * Makes the error for a migration that began but did not end. Such a migration ran outside a transaction, or a
   * different program ran it.
   */
  static unfinished(migration: string, id: string, cause?: unknown): MigrationError {
    const update = (assignments: string) => `  UPDATE _prisma_migrations SET ${assignments} WHERE id = '${id}';`
    const sentences = [
      `Migration ${migration} did not finish${cause === undefined ? '' : ` (${reasonOf(cause)})`}, and may have been applied in part.`,
      'Either undo that part, and run',
      update('rolled_back_at = now()'),
      'or do the rest of it by hand, and run',
      update('finished_at = now(), applied_steps_count = 1'),
      'and then start again.',
    ]
    return new MigrationError(sentences.join('\n'), { cause })
  }
}

/** The database's error message, with its SQLSTATE if it has one. */
export function reasonOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const { code } = thrown as { code?: string }
  return code === undefined ? message : `${message} [${code}]`
}
