import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { CredenceInputs } from '../../../index.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Dialog } from '../../ui/dialog.js'
import { Field } from '../../ui/field.js'
import { ProblemNote } from '../../ui/problem-note.js'

export type Change = 'suspend' | 'reinstate' | 'revoke'

type Given = Omit<CredenceInputs['credentials']['revoke'], 'id'>
type Reason = NonNullable<Given['reason']>

/** The service accepts notes of this length. */
const LONGEST_NOTE = 1_000

interface Props {
  readonly change: Change
  readonly ids: readonly string[]
  readonly onClose: () => void
}

/**
 * Suspends, reinstates or revokes credentials one after the other. After a failure or a stop, the earlier ones stay changed, and
 * the user can continue.
 */
export function StatusChange({ change, ids: given, onClose }: Props) {
  const { credentials, common } = useTexts()
  const words = credentials.changes[change]
  const client = useQueryClient()
  // The list behind the dialog changes meanwhile. The chosen ids must stay.
  const [ids] = useState(given)
  const [done, setDone] = useState(0)
  const [reason, setReason] = useState<Reason | ''>('')
  const [note, setNote] = useState('')
  const isStopped = useRef(false)
  useEffect(
    () => () => {
      // A closed dialog starts no further call.
      isStopped.current = true
    },
    [],
  )
  const changing = useMutation({
    mutationFn: async () => {
      isStopped.current = false
      const why: Given = {
        ...(reason === '' ? {} : { reason }),
        ...(note.trim() === '' ? {} : { note: note.trim() }),
      }
      for (const [at, id] of ids.entries()) {
        if (at < done) continue
        if (isStopped.current) return false
        await credence.credentials[change].mutate({ id, ...why })
        setDone(at + 1)
      }
      return true
    },
    onSuccess: (isWhole) => {
      if (isWhole) onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['credentials'] }),
  })
  const isBegun = changing.isPending || done > 0
  return (
    <Dialog title={words.title(ids.length)} onClose={onClose}>
      <p>{words.text}</p>
      {!isBegun && <Why reason={reason} note={note} onReason={setReason} onNote={setNote} />}
      {isBegun && (
        <label>
          {words.doneOf(done, ids.length)}
          <progress value={done} max={ids.length} />
        </label>
      )}
      {changing.data === false && <p role="status">{words.stopped(done, ids.length)}</p>}
      {changing.isError && <ProblemNote error={changing.error} />}
      <div className="row">
        <button
          type="button"
          className={change === 'reinstate' ? 'primary' : 'danger'}
          disabled={changing.isPending}
          onClick={() => changing.mutate()}
        >
          {done === 0 ? words.act : credentials.goOn}
        </button>
        {changing.isPending ? (
          <button
            type="button"
            onClick={() => {
              isStopped.current = true
            }}
          >
            {common.stop}
          </button>
        ) : (
          <button type="button" onClick={onClose}>
            {done === 0 ? common.cancel : common.close}
          </button>
        )}
      </div>
    </Dialog>
  )
}

interface WhyProps {
  readonly reason: Reason | ''
  readonly note: string
  readonly onReason: (reason: Reason | '') => void
  readonly onNote: (note: string) => void
}

/** The reason and the note of a change. */
export function Why({ reason, note, onReason, onNote }: WhyProps) {
  const { credentials: words } = useTexts()
  const reasons = Object.entries(words.reasons) as [Reason, string][]
  return (
    <div className="fields">
      <Field label={words.reason}>
        {(control) => (
          <select {...control} value={reason} onChange={({ target }) => onReason(target.value as Reason | '')}>
            <option value="">{words.noReason}</option>
            {reasons.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={words.note} hint={words.noteHint}>
        {(control) => (
          <textarea
            {...control}
            rows={3}
            maxLength={LONGEST_NOTE}
            value={note}
            onChange={({ target }) => onNote(target.value)}
          />
        )}
      </Field>
    </div>
  )
}
