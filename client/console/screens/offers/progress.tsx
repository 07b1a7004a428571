import { useMutation } from '@tanstack/react-query'
import type { OfferSession } from '../../queries/offers.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { RelativeTime } from '../../ui/relative-time.js'

/** The session of an offer in words, as it is at this moment. */
export function Progress({ session }: { readonly session: OfferSession | undefined }) {
  const { offers: words, common } = useTexts()
  if (session === undefined) return <p className="loading">{common.loading}</p>
  const { state, errorMessage, deferred, expiresAt } = session
  const isOver = state === 'Error' || state === 'Accepted'
  return (
    <>
      <p
        role="status"
        className={state === 'Error' ? 'bad' : isOver || state === 'CredentialIssued' ? 'good' : 'state'}
      >
        {words.states[state]}
      </p>
      {errorMessage !== undefined && <p lang="en">{errorMessage}</p>}
      {deferred !== undefined && !isOver && <Decision id={session.id} deferred={deferred} />}
      {!isOver && state !== 'CredentialIssued' && (
        <p className="soft">
          {words.runsOut} <RelativeTime at={expiresAt} />
        </p>
      )}
    </>
  )
}

interface DecisionProps {
  readonly id: string
  readonly deferred: NonNullable<OfferSession['deferred']>
}

/** Approving or rejecting what a wallet waits for. */
function Decision({ id, deferred }: DecisionProps) {
  const { offers: words } = useTexts()
  const decide = useMutation({
    mutationFn: (approves: boolean) =>
      approves ? credence.credentialOffers.approve.mutate({ id }) : credence.credentialOffers.reject.mutate({ id }),
  })
  if (deferred !== 'pending') return <p>{words[deferred]}</p>
  return (
    <>
      <p>{words.waiting}</p>
      {decide.isError && <ProblemNote error={decide.error} />}
      <div className="row">
        <button type="button" className="primary" disabled={decide.isPending} onClick={() => decide.mutate(true)}>
          {words.approve}
        </button>
        <button type="button" className="danger" disabled={decide.isPending} onClick={() => decide.mutate(false)}>
          {words.reject}
        </button>
      </div>
    </>
  )
}
