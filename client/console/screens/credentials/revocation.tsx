import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Dialog } from '../../ui/dialog.js'
import { ProblemNote } from '../../ui/problem-note.js'

interface Props {
  readonly ids: readonly string[]
  readonly onClose: () => void
}

/** Revokes credentials one after the other. Where one fails, those before it are revoked, and it can be tried again from there. */
export function Revocation({ ids: given, onClose }: Props) {
  const { credentials: words, common } = useTexts()
  const client = useQueryClient()
  // The list behind is read anew as they are revoked; what was asked stays.
  const [ids] = useState(given)
  const [done, setDone] = useState(0)
  const revoking = useMutation({
    mutationFn: async () => {
      for (const [at, id] of ids.entries()) {
        if (at < done) continue
        await credence.credentials.revoke.mutate({ id })
        setDone(at + 1)
      }
    },
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['credentials'] }),
  })
  return (
    <Dialog title={words.revokeTitle(ids.length)} onClose={onClose}>
      <p>{words.revokeText}</p>
      {(revoking.isPending || done > 0) && (
        <label>
          {words.revokedOf(done, ids.length)}
          <progress value={done} max={ids.length} />
        </label>
      )}
      {revoking.isError && <ProblemNote error={revoking.error} />}
      <div className="row">
        <button type="button" className="danger" disabled={revoking.isPending} onClick={() => revoking.mutate()}>
          {words.revoke}
        </button>
        <button type="button" disabled={revoking.isPending} onClick={onClose}>
          {common.cancel}
        </button>
      </div>
    </Dialog>
  )
}
