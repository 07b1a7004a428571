import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Wallet } from '../../queries/wallets.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Dialog } from '../../ui/dialog.js'
import { Field } from '../../ui/field.js'
import { ProblemNote } from '../../ui/problem-note.js'

/** The service accepts names of this length. */
const LONGEST_NAME = 200

interface Props {
  readonly wallet: Wallet
  readonly onClose: () => void
}

/** A dialog that gives a hosted wallet another name. */
export function Rename({ wallet, onClose }: Props) {
  const { wallets: words, names, common } = useTexts()
  const client = useQueryClient()
  const [name, setName] = useState(wallet.name ?? '')
  const renaming = useMutation({
    mutationFn: () => credence.holders.rename.mutate({ holderId: wallet.id, name: name.trim() }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['wallets', 'list'] })
      onClose()
    },
  })
  return (
    <Dialog title={words.renameTitle} onClose={onClose}>
      <form
        className="fields"
        onSubmit={(event) => {
          event.preventDefault()
          renaming.mutate()
        }}
      >
        <Field label={names.name} hint={names.nameHint} required>
          {(props) => (
            <input
              {...props}
              value={name}
              maxLength={LONGEST_NAME}
              autoComplete="off"
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        {renaming.isError && <ProblemNote error={renaming.error} />}
        <div className="row">
          <button type="submit" className="primary" disabled={renaming.isPending || name.trim() === ''}>
            {words.renameIt}
          </button>
          <button type="button" onClick={onClose}>
            {common.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
