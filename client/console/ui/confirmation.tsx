import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTexts } from '../texts/use-texts.js'
import { Dialog } from './dialog.js'
import { ProblemNote } from './problem-note.js'

interface Props {
  readonly title: string
  readonly text: string
  /** What the button that does it is called. */
  readonly action: string
  readonly act: () => Promise<unknown>
  /** First part of the keys of what is to be read anew afterwards. */
  readonly changes: string
  readonly onClose: () => void
}

/** Asks before something is done that cannot be undone. A failure is said in the dialog, which stays. */
export function Confirmation({ title, text, action, act, changes, onClose }: Props) {
  const { common } = useTexts()
  const client = useQueryClient()
  const acting = useMutation({
    mutationFn: act,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [changes] })
      onClose()
    },
  })
  // It may have failed since somebody else did it before: what is shown behind is read anew.
  const close = () => {
    if (acting.isError) void client.invalidateQueries({ queryKey: [changes] })
    onClose()
  }
  return (
    <Dialog title={title} onClose={close}>
      <p>{text}</p>
      {acting.isError && <ProblemNote error={acting.error} />}
      <div className="row">
        <button type="button" className="danger" disabled={acting.isPending} onClick={() => acting.mutate()}>
          {action}
        </button>
        <button type="button" onClick={close}>
          {common.cancel}
        </button>
      </div>
    </Dialog>
  )
}
