import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { give, noteUse, type Outcome, type Wallet } from '../../queries/wallets.js'
import { useTexts } from '../../texts/use-texts.js'
import { Field } from '../../ui/field.js'
import { Restored } from '../../ui/kept/restored.js'
import { useKeptState } from '../../ui/kept/use-kept.js'
import { WalletOutcome } from '../../ui/wallet-outcome.js'
import { WalletProblem } from '../../ui/wallet-problem.js'

/** Sends the link of an offer or a request to a wallet. */
export function Give({ wallet }: { readonly wallet: Wallet }) {
  const { wallets: words, form } = useTexts()
  const client = useQueryClient()
  const kept = useKeptState(`wallets/${wallet.id}`, { link: '', pin: '' })
  const { link, pin } = kept.values
  const set = (members: Partial<typeof kept.values>) => kept.set((before) => ({ ...before, ...members }))
  const [isMissing, setMissing] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()
  const giving = useMutation({
    mutationFn: () => {
      noteUse(client, wallet)
      return give(wallet, link.trim(), pin.trim())
    },
    onMutate: () => setOutcome(undefined),
    onSuccess: (became) => {
      setOutcome(became)
      if (became.kind === 'taken' || became.kind === 'presented') {
        kept.startAnew()
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['wallets'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setMissing(link.trim() === '')
    if (link.trim() !== '') giving.mutate()
  }
  return (
    <form className="fields" onSubmit={submit} noValidate>
      <Restored {...kept} />
      <Field label={words.link} hint={words.linkHint} error={isMissing ? form.required : undefined} required>
        {(control) => (
          <textarea
            {...control}
            rows={3}
            spellCheck={false}
            autoComplete="off"
            value={link}
            onChange={({ target }) => set({ link: target.value })}
          />
        )}
      </Field>
      <Field label={words.pin} hint={words.pinHint}>
        {(control) => (
          <input {...control} autoComplete="off" value={pin} onChange={({ target }) => set({ pin: target.value })} />
        )}
      </Field>
      {giving.isError && <WalletProblem error={giving.error} />}
      {outcome !== undefined && <WalletOutcome outcome={outcome} onOutcome={setOutcome} isElsewhere={false} />}
      <p>
        <button type="submit" className="primary" disabled={giving.isPending}>
          {words.giveIt}
        </button>
      </p>
    </form>
  )
}
