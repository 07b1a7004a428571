import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Dialog } from '../../ui/dialog.js'
import { ProblemNote } from '../../ui/problem-note.js'

interface Props {
  readonly ids: readonly string[]
  readonly onClose: () => void
}

/**
 * Revokes credentials one after the other. If a call fails or the user stops, the credentials before it stay revoked,
 * and the user can continue.
 */
export function Revocation({ ids: given, onClose }: Props) {
  const { credentials: words, common } = useTexts()
  const client = useQueryClient()
  // The list behind the dialog changes during the revocation. The chosen ids must not change, so they are copied.
  const [ids] = useState(given)
  const [done, setDone] = useState(0)
  const isStopped = useRef(false)
  useEffect(
    () => () => {
      // A closed dialog starts no further call.
      isStopped.current = true
    },
    [],
  )
  const revoking = useMutation({
    mutationFn: async () => {
      isStopped.current = false
      for (const [at, id] of ids.entries()) {
        if (at < done) continue
        if (isStopped.current) return false
        await credence.credentials.revoke.mutate({ id })
        setDone(at + 1)
      }
      return true
    },
    onSuccess: (isWhole) => {
      if (isWhole) onClose()
    },
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
      {revoking.data === false && <p role="status">{words.stopped(done, ids.length)}</p>}
      {revoking.isError && <ProblemNote error={revoking.error} />}
      <div className="row">
        <button type="button" className="danger" disabled={revoking.isPending} onClick={() => revoking.mutate()}>
          {done === 0 ? words.revoke : words.goOn}
        </button>
        {revoking.isPending ? (
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
