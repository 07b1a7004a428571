/** The progress of a run through many rows. */
export interface Run<Outcome> {
  readonly done: number
  readonly of: number
  readonly outcomes: readonly Outcome[]
  readonly isRunning: boolean
  /** Whether the user stopped the run before its end. */
  readonly isStopped: boolean
  /** The error that stopped the run before its end. */
  readonly error: unknown
  readonly control: RunControl
}

/** What the user wants of a run. The run reads it between two calls. */
export interface RunControl {
  /** Whether the run starts no further call. A call that is already sent still completes. */
  isStopping: boolean
  /** Whether nobody wants the outcomes, because the rows have changed. */
  isDiscarded: boolean
}

/** Number of rows in one call. */
const AT_ONCE = 100

/**
 * Processes many rows in several calls, one call after the other: begins with the first row, or continues a stopped run.
 *
 * @param work processes some rows, and resolves with the outcomes of these rows
 * @param show receives the progress after each call
 * @returns all outcomes, or undefined if the run stops
 */
export async function runThrough<Row, Outcome>(
  rows: readonly Row[],
  work: (rows: readonly Row[]) => Promise<readonly Outcome[]>,
  show: (run: Run<Outcome>) => void,
  from?: Run<Outcome>,
): Promise<readonly Outcome[] | undefined> {
  const control: RunControl = { isStopping: false, isDiscarded: false }
  let outcomes = from?.outcomes ?? []
  let done = from?.done ?? 0
  const report = (isRunning: boolean, error?: unknown) => {
    const isStopped = control.isStopping && !isRunning && done < rows.length
    if (!control.isDiscarded) show({ done, of: rows.length, outcomes, isRunning, isStopped, error, control })
  }
  report(true)
  while (done < rows.length) {
    const some = rows.slice(done, done + AT_ONCE)
    try {
      outcomes = [...outcomes, ...(await work(some))]
    } catch (error) {
      report(false, error)
      return undefined
    }
    done += some.length
    report(done < rows.length && !control.isStopping)
    if (control.isStopping && done < rows.length) return undefined
  }
  return outcomes
}
