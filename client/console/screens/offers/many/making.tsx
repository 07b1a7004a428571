import { Link } from '@tanstack/react-router'
import { checkOffers, makeOffers, type RowRefused } from '../../../queries/many-offers.js'
import { useTexts } from '../../../texts/use-texts.js'
import { Check } from '../../../ui/check.js'
import { draftOf } from '../../../ui/kept/drafts.js'
import { useKeptState } from '../../../ui/kept/use-kept.js'
import { Panel } from '../../../ui/panel.js'
import { ProblemNote } from '../../../ui/problem-note.js'
import { ProgressBar } from '../../../ui/progress-bar.js'
import type { Part } from '../../../ui/schema-form/plan.js'
import { type OfferForm, offerOf } from '../offer-form.js'
import type { Made, Sheet } from './csv.js'
import { Download } from './download.js'
import type { Reading } from './reading.js'
import { type RowFault, RowFaults } from './row-faults.js'
import { type Mapping, missingColumns, namesIn, readRow } from './rows.js'
import { type Run, runThrough } from './run.js'

interface Props {
  /** The key under which the work is kept. It names the rows and the options of their offers. */
  readonly keptAs: string
  readonly parts: readonly Part[]
  readonly sheet: Sheet
  readonly mapping: Mapping
  readonly reading: Reading
  readonly form: OfferForm
  /** The name of the batch. */
  readonly name: string
  /** Called when all offers are made. */
  readonly onMade: () => void
}

/** The work on a file. It goes on while the user is on another screen, and its outcomes are kept. */
interface Work {
  /** The id of the batch. Each row has an idempotency key with it, so a repeated call does not create an offer twice. */
  readonly batchId: string
  readonly leavesOut: boolean
  readonly checking?: Run<RowRefused> | undefined
  readonly faults?: readonly RowFault[] | undefined
  readonly making?: Run<Made> | undefined
}

const isBegun = ({ checking, making }: Work) => checking !== undefined || making !== undefined

/** Ends the work on rows that the user has changed. A call that is already sent still completes. */
export function discardWork(keptAs: string): void {
  // Only this file keeps values under the key.
  const work = draftOf(keptAs)?.values as Work | undefined
  for (const run of [work?.checking, work?.making])
    if (run !== undefined) Object.assign(run.control, { isStopping: true, isDiscarded: true })
}

/**
 * Checks every row and lists the errors. Creates the offers if there is no error, or if the user leaves out the rows
 * with errors.
 */
export function Making({ keptAs, parts, sheet, mapping, reading, form, name, onMade }: Props) {
  const { many: words, batches, common } = useTexts()
  const work = useKeptState<Work>(keptAs, { batchId: crypto.randomUUID(), leavesOut: false }, isBegun)
  const { batchId, leavesOut, checking, faults, making: run } = work.values
  const set = (members: Partial<Work>) => work.set((before) => ({ ...before, ...members }))
  const read = sheet.rows.map((row) => readRow(parts, mapping, row, reading))
  const offers = read
    .filter((each) => each.faults.length === 0)
    .map(({ row, subject }) => ({
      row,
      key: `${batchId}-${row.number}`,
      offer: offerOf({ ...form, ...namesIn(mapping, row) }, subject),
    }))
  const check = async () => {
    const from = checking?.error === undefined ? undefined : checking
    const refused = await runThrough(offers, checkOffers, (progress) => set({ checking: progress }), from)
    if (refused === undefined) return
    const own = read
      .filter((each) => each.faults.length > 0)
      .map(
        ({ row, faults: wrong }): RowFault => ({
          number: row.number,
          sentences: wrong.map(({ label, fault }) => `${label}: ${words.cellFaults[fault]}`),
        }),
      )
    const theirs = refused.map(({ row, messages }): RowFault => ({ number: row.number, sentences: messages }))
    set({ faults: [...own, ...theirs].sort((one, other) => one.number - other.number) })
  }
  const wrong = new Set(faults?.map(({ number }) => number))
  const good = offers.filter(({ row }) => !wrong.has(row.number))
  const make = async (from?: Run<Made>) => {
    const batch = { id: batchId, ...(name === '' ? {} : { name }) }
    const made = await runThrough(
      good,
      (some) => makeOffers(some, batch),
      (progress) => set({ making: progress }),
      from,
    )
    if (made === undefined) return
    work.done()
    onMade()
  }
  const missing = missingColumns(parts, mapping)
  const isReady = faults !== undefined && good.length > 0 && (faults.length === 0 || leavesOut)
  const isOver = run !== undefined && run.done === run.of
  return (
    <>
      {faults !== undefined && faults.length > 0 && run === undefined && <RowFaults faults={faults} />}
      <Panel title={words.make}>
        {missing.length > 0 && (
          <p className="bad" role="status">
            {words.missing(missing.map(({ title }) => title))}
          </p>
        )}
        {faults === undefined && (
          <button
            type="button"
            className="primary"
            disabled={checking?.isRunning === true || missing.length > 0}
            onClick={() => void check()}
          >
            {words.check(sheet.rows.length)}
          </button>
        )}
        {checking !== undefined && faults === undefined && (
          <ProgressBar label={words.checking} done={checking.done} of={checking.of} />
        )}
        {checking?.error !== undefined && <ProblemNote error={checking.error} />}
        {faults?.length === 0 && run === undefined && (
          <p className="good" role="status">
            {words.allGood}
          </p>
        )}
        {faults !== undefined && faults.length > 0 && run === undefined && (
          <>
            <p className="bad" role="status">
              {words.wrongRows(faults.length)}
            </p>
            <Check checked={leavesOut} onChange={({ target }) => set({ leavesOut: target.checked })}>
              {words.leaveOut(faults.length)}
            </Check>
          </>
        )}
        {faults !== undefined && run === undefined && (
          <button type="button" className="primary" disabled={!isReady} onClick={() => void make()}>
            {words.makeThem(good.length)}
          </button>
        )}
        {run !== undefined && <ProgressBar label={words.making} done={run.done} of={run.of} />}
        {run?.isRunning === true && (
          <button
            type="button"
            onClick={() => {
              run.control.isStopping = true
            }}
          >
            {common.stop}
          </button>
        )}
        {run !== undefined && (run.error !== undefined || run.isStopped) && (
          <>
            {run.error !== undefined && <ProblemNote error={run.error} />}
            <p role="status">
              {words.madeUntil(run.outcomes.length)} {words.stopped}
            </p>
            <button type="button" className="primary" onClick={() => void make(run)}>
              {words.goOn}
            </button>
          </>
        )}
        {isOver && (
          <p className="good" role="status">
            {words.made(run.outcomes.length)}{' '}
            <Link to="/offers/batches/$id" params={{ id: batchId }}>
              {batches.toBatch}
            </Link>
          </p>
        )}
        {run !== undefined && run.outcomes.length > 0 && !run.isRunning && (
          <Download sheet={sheet} made={run.outcomes} withPins={form.pin} name={name} />
        )}
      </Panel>
    </>
  )
}
