import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Asking, decline, type Outcome, present, type Wallet } from '../queries/wallets.js'
import { useRegistrationTexts } from '../texts/registrations/use-registration-texts.js'
import { useTexts } from '../texts/use-texts.js'
import { leavesOf, MAX_LEAVES } from './claims.js'
import { Covered } from './covered.js'
import { Dialog } from './dialog.js'
import { Fact } from './fact.js'
import { useVerifierNames } from './party-names.js'
import { PartyRegistration } from './party-registration.js'
import { ProblemNote } from './problem-note.js'
import { queriedCredentials } from './registered.js'

interface Props {
  readonly outcome: Outcome
  /** Called with the outcome after a person has decided. */
  readonly onOutcome: (outcome: Outcome) => void
  /** Whether the outcome is shown outside the wallet's own screen. A link to the wallet is then useful. */
  readonly isElsewhere: boolean
}

/** Shows what a hosted wallet did with an offer or a request. If a person must decide, it shows the question. */
export function WalletOutcome({ outcome, onOutcome, isElsewhere }: Props) {
  const { wallets: words } = useTexts()
  const { kind, wallet } = outcome
  if (kind === 'unconfirmed') return <Decision wallet={wallet} asking={outcome.asking} onOutcome={onOutcome} />
  const sentence = {
    taken: kind === 'taken' && outcome.deferred > 0 ? words.willFollow : words.taken,
    presented: words.presented,
    lacking: words.lacking,
    declined: words.declined,
  }[kind]
  return (
    <div role="status">
      <p className={kind === 'lacking' ? 'bad' : kind === 'declined' ? undefined : 'good'}>{sentence}</p>
      {isElsewhere && (
        <p>
          <Link to="/wallets/$id" params={{ id: wallet.id }}>
            {words.openWallet}
          </Link>
        </p>
      )}
    </div>
  )
}

interface DecisionProps {
  readonly wallet: Wallet
  readonly asking: Asking
  readonly onOutcome: (outcome: Outcome) => void
}

/**
 * The question for a person, with the request, the registration (ETSI TS 119 475) and all transaction data (OpenID4VP 1.0 §8.4). It is shown
 * before the wallet presents anything.
 */
function Decision({ wallet, asking, onOutcome }: DecisionProps) {
  const { wallets: words } = useTexts()
  const { wallet: asks } = useRegistrationTexts()
  const verifierName = useVerifierNames()
  const client = useQueryClient()
  const deciding = useMutation({
    mutationFn: (agrees: boolean) => (agrees ? present : decline)(wallet, asking),
    onSuccess: onOutcome,
    onSettled: () => client.invalidateQueries({ queryKey: ['wallets'] }),
  })
  const { verifier, transactionData = [], registration, query } = asking
  // A client identifier with a hash says nothing to people. The valid registration certificate has the name of the party.
  const [registered] = registration.certificates
  const name = verifierName(verifier.id, verifier.name ?? registered?.legalName ?? registered?.name)
  const isTransaction = transactionData.length > 0
  return (
    <Dialog title={isTransaction ? words.authorizeTitle : asks.title} onClose={() => deciding.mutate(false)}>
      <p title={verifier.id}>{asks.asks(name)}</p>
      <Covered credentials={queriedCredentials(query)} none={asks.alwaysShown} />
      <PartyRegistration registration={registration} />
      {isTransaction && <p>{words.authorize(name)}</p>}
      {transactionData.map((transaction) => (
        <Whole key={JSON.stringify(transaction)} transaction={transaction} />
      ))}
      {deciding.isError && <ProblemNote error={deciding.error} />}
      <div className="row">
        <button type="button" className="primary" disabled={deciding.isPending} onClick={() => deciding.mutate(true)}>
          {isTransaction ? words.agree : asks.answer}
        </button>
        <button type="button" disabled={deciding.isPending} onClick={() => deciding.mutate(false)}>
          {words.refuse}
        </button>
      </div>
    </Dialog>
  )
}

/** The whole transaction. If it has more members than the list can show, it is shown as JSON. */
function Whole({ transaction }: { readonly transaction: Readonly<Record<string, unknown>> }) {
  const leaves = leavesOf(transaction)
  if (leaves.length === MAX_LEAVES) return <pre>{JSON.stringify(transaction, undefined, 2)}</pre>
  return (
    <dl>
      {leaves.map(({ path, value }) => (
        <Fact key={path.join('\0')} name={path.join('.')}>
          {value}
        </Fact>
      ))}
    </dl>
  )
}
