import { useState } from 'react'
import { checkOffers, makeOffers } from '../../../queries/many-offers.js'
import { useTexts } from '../../../texts/use-texts.js'
import { Check } from '../../../ui/check.js'
import { Panel } from '../../../ui/panel.js'
import { ProblemNote } from '../../../ui/problem-note.js'
import { ProgressBar } from '../../../ui/progress-bar.js'
import type { Part } from '../../../ui/schema-form/plan.js'
import { type OfferForm, offerOf } from '../offer-form.js'
import type { Sheet } from './csv.js'
import { Download } from './download.js'
import { type RowFault, RowFaults } from './row-faults.js'
import { type Mapping, readRow } from './rows.js'
import { useRun } from './use-run.js'

interface Props {
  readonly parts: readonly Part[]
  readonly sheet: Sheet
  readonly mapping: Mapping
  readonly form: OfferForm
}

/**
 * Checks every row and lists the errors. Creates the offers if there is no error, or if the user leaves out the rows
 * with errors.
 */
export function Making({ parts, sheet, mapping, form }: Props) {
  const { many: words, common } = useTexts()
  // Each row has an idempotency key, so a repeated call does not create an offer twice.
  const [prefix] = useState(() => crypto.randomUUID())
  const [faults, setFaults] = useState<readonly RowFault[]>()
  const [leavesOut, setLeavesOut] = useState(false)
  const read = sheet.rows.map((row) => readRow(parts, mapping, row))
  const offers = read
    .filter((each) => each.faults.length === 0)
    .map(({ row, subject }) => ({ row, key: `${prefix}-${row.number}`, offer: offerOf(form, subject) }))
  const checking = useRun(checkOffers)
  const making = useRun(makeOffers)
  const check = async () => {
    const refused = await checking.start(offers, checking.run?.error === undefined ? undefined : checking.run)
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
    setFaults([...own, ...theirs].sort((one, other) => one.number - other.number))
  }
  const wrong = new Set(faults?.map(({ number }) => number))
  const good = offers.filter(({ row }) => !wrong.has(row.number))
  const isReady = faults !== undefined && good.length > 0 && (faults.length === 0 || leavesOut)
  const { run } = making
  const isOver = run !== undefined && run.done === run.of
  return (
    <>
      {faults !== undefined && faults.length > 0 && run === undefined && <RowFaults faults={faults} />}
      <Panel title={words.make}>
        {faults === undefined && (
          <button type="button" className="primary" disabled={checking.run?.isRunning} onClick={() => void check()}>
            {words.check(sheet.rows.length)}
          </button>
        )}
        {checking.run !== undefined && faults === undefined && (
          <ProgressBar label={words.checking} done={checking.run.done} of={checking.run.of} />
        )}
        {checking.run?.error !== undefined && <ProblemNote error={checking.run.error} />}
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
            <Check checked={leavesOut} onChange={({ target }) => setLeavesOut(target.checked)}>
              {words.leaveOut(faults.length)}
            </Check>
          </>
        )}
        {faults !== undefined && run === undefined && (
          <button type="button" className="primary" disabled={!isReady} onClick={() => void making.start(good)}>
            {words.makeThem(good.length)}
          </button>
        )}
        {run !== undefined && <ProgressBar label={words.making} done={run.done} of={run.of} />}
        {run?.isRunning === true && (
          <button type="button" onClick={making.stop}>
            {common.stop}
          </button>
        )}
        {run !== undefined && (run.error !== undefined || run.isStopped) && (
          <>
            {run.error !== undefined && <ProblemNote error={run.error} />}
            <p role="status">
              {words.madeUntil(run.outcomes.length)} {words.stopped}
            </p>
            <button type="button" className="primary" onClick={() => void making.start(good, run)}>
              {words.goOn}
            </button>
          </>
        )}
        {isOver && (
          <p className="good" role="status">
            {words.made(run.outcomes.length)}
          </p>
        )}
        {run !== undefined && run.outcomes.length > 0 && !run.isRunning && (
          <Download sheet={sheet} made={run.outcomes} withPins={form.pin} />
        )}
      </Panel>
    </>
  )
}
