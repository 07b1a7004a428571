import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { offerAgain } from '../../queries/offers.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Check } from '../../ui/check.js'
import { Dialog } from '../../ui/dialog.js'
import { ProblemNote } from '../../ui/problem-note.js'

interface Props {
  readonly id: string
  /** Whether the user may choose a new PIN. */
  readonly mayHavePin: boolean
  readonly onClose: () => void
}

/** A dialog that gives an offer a new link, and a new PIN if the user wants one. */
export function ResendDialog({ id, mayHavePin, onClose }: Props) {
  const { offers: words, common } = useTexts()
  const client = useQueryClient()
  const [withPin, setWithPin] = useState(false)
  const resending = useMutation({
    mutationFn: () => credence.credentialOffers.resend.mutate({ id, ...(withPin ? { txCode: true as const } : {}) }),
    onSuccess: (again) => {
      client.setQueryData(offerAgain(id).queryKey, again)
      onClose()
    },
    onError: () => client.invalidateQueries({ queryKey: ['offers'] }),
  })
  return (
    <Dialog title={words.resendTitle} onClose={onClose}>
      <p>{words.resendText}</p>
      {mayHavePin && (
        <Check checked={withPin} onChange={({ target }) => setWithPin(target.checked)}>
          {words.newPin}
        </Check>
      )}
      {resending.isError && <ProblemNote error={resending.error} />}
      <div className="row">
        <button type="button" className="primary" disabled={resending.isPending} onClick={() => resending.mutate()}>
          {words.resend}
        </button>
        <button type="button" onClick={onClose}>
          {common.cancel}
        </button>
      </div>
    </Dialog>
  )
}
