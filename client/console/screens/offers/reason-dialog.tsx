import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTexts } from '../../texts/use-texts.js'
import { Dialog } from '../../ui/dialog.js'
import { Field } from '../../ui/field.js'
import { ProblemNote } from '../../ui/problem-note.js'

/** The service accepts reasons of this length. */
const LONGEST_REASON = 300

interface Props {
  readonly title: string
  readonly text: string
  /** Label of the button that runs the action. */
  readonly action: string
  readonly act: (given: { readonly reason?: string }) => Promise<unknown>
  readonly onClose: () => void
}

/** A dialog that asks for a reason before offers end. Draw the dialog outside the list that it is about. */
export function ReasonDialog({ title, text, action, act, onClose }: Props) {
  const { offers: words, common } = useTexts()
  const client = useQueryClient()
  const [reason, setReason] = useState('')
  const acting = useMutation({
    mutationFn: () => act(reason.trim() === '' ? {} : { reason: reason.trim() }),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['offers'] }),
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <Field label={words.reason} hint={words.reasonHint}>
        {(props) => (
          <input
            {...props}
            value={reason}
            maxLength={LONGEST_REASON}
            autoComplete="off"
            onChange={({ target }) => setReason(target.value)}
          />
        )}
      </Field>
      {acting.isError && <ProblemNote error={acting.error} />}
      <div className="row">
        <button type="button" className="danger" disabled={acting.isPending} onClick={() => acting.mutate()}>
          {action}
        </button>
        <button type="button" onClick={onClose}>
          {common.cancel}
        </button>
      </div>
    </Dialog>
  )
}
