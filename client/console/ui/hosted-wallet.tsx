import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { give, makeWallet, noteUse, type Outcome, usedLast, type Wallet, wallets } from '../queries/wallets.js'
import { useRegistrationTexts } from '../texts/registrations/use-registration-texts.js'
import { useSpoken } from '../texts/use-texts.js'
import { Field } from './field.js'
import { shortened } from './short-id.js'
import { May } from './use-may.js'
import { WalletOutcome } from './wallet-outcome.js'
import { WalletProblem } from './wallet-problem.js'

interface Props {
  /** The address of an offer or a request, as a wallet opens it. */
  readonly uri: string
  readonly pin?: string | undefined
  readonly kind: 'offer' | 'request'
  /** False after the end of the offer. Then only the outcome is shown, if there is one. */
  readonly isOpen?: boolean
}

/**
 * Lets an admin take the offer or answer the request with a hosted wallet. Only admins have hosted wallets in the
 * console, so other users see nothing.
 */
export function HostedWallet(props: Props) {
  return (
    <May call="agentHolders.list">
      <Use {...props} />
    </May>
  )
}

/** Takes an offer or answers a request with a hosted wallet, with one click. If there is no wallet, it creates one. */
function Use({ uri, pin, kind, isOpen = true }: Props) {
  const { language, texts } = useSpoken()
  const { wallets: words } = texts
  // The question for a person needs these texts later.
  useRegistrationTexts.begin(language)
  const client = useQueryClient()
  const { data: all } = useQuery(wallets)
  const [chosen, setChosen] = useState(() => usedLast(client))
  const [outcome, setOutcome] = useState<Outcome>()
  const using = useMutation({
    mutationFn: async (wallet: Wallet | undefined) => {
      const used = wallet ?? (await makeWallet())
      noteUse(client, used)
      return give(used, uri, pin)
    },
    onSuccess: setOutcome,
    onSettled: () => client.invalidateQueries({ queryKey: ['wallets'] }),
  })
  if (all === undefined) return null
  if (outcome !== undefined && outcome.kind !== 'lacking')
    return <WalletOutcome outcome={outcome} onOutcome={setOutcome} isElsewhere />
  if (!isOpen && !using.isPending && !using.isError) return null
  const wallet = all.find(({ id }) => id === chosen) ?? all[0]
  return (
    <div className="fields">
      {all.length > 1 && (
        <Field label={words.which} required>
          {(control) => (
            <select {...control} value={wallet?.id} onChange={({ target }) => setChosen(target.value)}>
              {all.map(({ id, did, name }) => (
                <option key={id} value={id}>
                  {name ?? shortened(did ?? id)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <p>
        <button type="button" className="primary" disabled={using.isPending} onClick={() => using.mutate(wallet)}>
          {kind === 'offer' ? words.takeHere : words.answerHere}
        </button>
      </p>
      <p className="soft">{words.hereHint}</p>
      {outcome !== undefined && <WalletOutcome outcome={outcome} onOutcome={setOutcome} isElsewhere />}
      {using.isError && <WalletProblem error={using.error} />}
    </div>
  )
}
