import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTexts } from '../texts/use-texts.js'
import { Dialog } from './dialog.js'
import { ProblemNote } from './problem-note.js'

interface Props {
  readonly title: string
  readonly text: string
  /** Label of the button that runs the action. */
  readonly action: string
  readonly act: () => Promise<unknown>
  /** The data to read again after the action: the beginning of its query keys. */
  readonly changes: string
  /** Whether another user has already done the action. */
  readonly isGone?: boolean
  readonly onClose: () => void
}

/**
 * A dialog that asks before an action that cannot be undone. If the action fails, or another user has already done it,
 * the dialog stays open and says so. Draw the dialog outside the list that it is about: the list updates live, and
 * would remove the dialog together with the row.
 */
export function Confirmation({ title, text, action, act, changes, isGone = false, onClose }: Props) {
  const { common } = useTexts()
  const client = useQueryClient()
  const acting = useMutation({
    mutationFn: act,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [changes] })
      onClose()
    },
  })
  const leave = useRef<HTMLButtonElement>(null)
  const isLate = isGone && !acting.isPending && !acting.isSuccess
  useEffect(() => {
    if (isLate) leave.current?.focus()
  }, [isLate])
  // The action may have failed because another user has already done it. So the list behind the dialog is read again.
  const close = () => {
    if (acting.isError) void client.invalidateQueries({ queryKey: [changes] })
    onClose()
  }
  return (
    <Dialog title={title} onClose={close}>
      <div role="status">{isLate && <p className="note">{common.goneMeanwhile}</p>}</div>
      {!isLate && <p>{text}</p>}
      {!isLate && acting.isError && <ProblemNote error={acting.error} />}
      <div className="row">
        {!isLate && (
          <button type="button" className="danger" disabled={acting.isPending} onClick={() => acting.mutate()}>
            {action}
          </button>
        )}
        <button ref={leave} type="button" onClick={close}>
          {isLate ? common.close : common.cancel}
        </button>
      </div>
    </Dialog>
  )
}
