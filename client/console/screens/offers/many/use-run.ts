import { useRef, useState } from 'react'

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
}

/** Number of rows in one call. */
const AT_ONCE = 100

/**
 * Processes many rows in several calls, one call after the other.
 *
 * @param work processes some rows, and resolves with the outcomes of these rows
 */
export function useRun<Row, Outcome>(work: (rows: readonly Row[]) => Promise<readonly Outcome[]>) {
  const [run, setRun] = useState<Run<Outcome>>()
  const current = useRef(0)
  const stopping = useRef(false)
  /**
   * Starts with the first row, or continues a stopped run. Resolves with all outcomes, or with undefined if the run
   * stops.
   */
  const start = async (rows: readonly Row[], from?: Run<Outcome>): Promise<readonly Outcome[] | undefined> => {
    current.current += 1
    const mine = current.current
    stopping.current = false
    let outcomes = from?.outcomes ?? []
    let done = from?.done ?? 0
    const show = (isRunning: boolean, error?: unknown) => {
      const isStopped = stopping.current && !isRunning && done < rows.length
      if (current.current === mine) setRun({ done, of: rows.length, outcomes, isRunning, isStopped, error })
    }
    show(true)
    while (done < rows.length) {
      const some = rows.slice(done, done + AT_ONCE)
      try {
        outcomes = [...outcomes, ...(await work(some))]
      } catch (error) {
        show(false, error)
        return undefined
      }
      if (current.current !== mine) return undefined
      done += some.length
      show(done < rows.length && !stopping.current)
      if (stopping.current && done < rows.length) return undefined
    }
    return outcomes
  }
  /** Stops the run: starts no further call. A call that is already sent still completes. */
  const stop = () => {
    stopping.current = true
  }
  /** Discards the run and its outcomes. A run that is still active starts no further call. */
  const clear = () => {
    current.current += 1
    setRun(undefined)
  }
  return { run, start, stop, clear }
}
