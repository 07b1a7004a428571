import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  type Asking,
  decline,
  declineOffer,
  type Offering,
  type Outcome,
  present,
  take,
  type Wallet,
} from '../queries/wallets.js'
import { useRegistrationTexts } from '../texts/registrations/use-registration-texts.js'
import { useTexts } from '../texts/use-texts.js'
import { leavesOf, MAX_LEAVES } from './claims.js'
import { Covered } from './covered.js'
import { Dialog } from './dialog.js'
import { Fact } from './fact.js'
import { useIssuerNames, useVerifierNames } from './party-names.js'
import { PartyRegistration } from './party-registration.js'
import { queriedCredentials } from './registered.js'
import { WalletProblem } from './wallet-problem.js'

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
  if (kind === 'offered') return <Acceptance {...outcome} onOutcome={onOutcome} />
  if (kind === 'declined-offer') return <Declined />
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

/** The sentence after a declined offer. */
function Declined() {
  const { offer: words } = useRegistrationTexts()
  return (
    <div role="status">
      <p>{words.declined}</p>
    </div>
  )
}

interface AcceptanceProps {
  readonly wallet: Wallet
  readonly offering: Offering
  readonly pin: string | undefined
  readonly onOutcome: (outcome: Outcome) => void
}

/**
 * The question for a person, with the offer and the registration of its issuer (ETSI TS 119 472-3 §4.2). It is shown before the
 * wallet takes anything.
 */
function Acceptance({ wallet, offering, pin, onOutcome }: AcceptanceProps) {
  const { wallets: words, credentials } = useTexts()
  const { offer: asks } = useRegistrationTexts()
  const issuerName = useIssuerNames()
  const client = useQueryClient()
  const deciding = useMutation({
    mutationFn: (agrees: boolean) => (agrees ? take(wallet, offering, pin) : declineOffer(wallet, offering)),
    onSuccess: onOutcome,
    onSettled: () => client.invalidateQueries({ queryKey: ['wallets'] }),
  })
  const { issuer, registration, offering: offered } = offering
  const [registered] = registration?.certificates ?? []
  const name = registered?.legalName ?? registered?.name ?? issuerName(issuer?.id) ?? issuer?.id ?? ''
  const type = offered.credential_type === '' ? credentials.credential : offered.credential_type
  return (
    <Dialog title={asks.title} onClose={() => deciding.mutate(false)}>
      <p title={issuer?.id}>{asks.offers(name, type)}</p>
      {registration !== undefined && <PartyRegistration of="issuer" registration={registration} />}
      {deciding.isError && <WalletProblem error={deciding.error} />}
      <div className="row">
        <button type="button" className="primary" disabled={deciding.isPending} onClick={() => deciding.mutate(true)}>
          {asks.take}
        </button>
        <button type="button" disabled={deciding.isPending} onClick={() => deciding.mutate(false)}>
          {words.refuse}
        </button>
      </div>
    </Dialog>
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
      <PartyRegistration of="verifier" registration={registration} />
      {isTransaction && <p>{words.authorize(name)}</p>}
      {transactionData.map((transaction) => (
        <Whole key={JSON.stringify(transaction)} transaction={transaction} />
      ))}
      {deciding.isError && <WalletProblem error={deciding.error} />}
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
