import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type DecisionOutcome, decideOffers, waitingOffers } from '../../queries/offers.js'
import type { ListedOffer } from '../../queries/shapes.js'
import { useTexts } from '../../texts/use-texts.js'
import { Check } from '../../ui/check.js'
import { leavesOf } from '../../ui/claims.js'
import { Listing } from '../../ui/listing.js'
import { LongName } from '../../ui/long-name.js'
import { More } from '../../ui/more.js'
import { knownAs } from '../../ui/names.js'
import { Panel } from '../../ui/panel.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { typeOfConfiguration } from '../../ui/type-of-configuration.js'
import { useTypeTitles } from '../../ui/type-titles.js'
import { Decision } from './decision.js'
import { RejectDialog } from './reject-dialog.js'
import { type Undecided, UndecidedNote } from './undecided-note.js'

/** Number of claims that the list shows of each offer. */
const SHOWN_CLAIMS = 3

/** Number of offers that the service decides in one call. */
const AT_ONCE = 200

/** The first claims of an offer. */
const claimsOf = ({ credentialSubject }: ListedOffer): string =>
  leavesOf(credentialSubject)
    .slice(0, SHOWN_CLAIMS)
    .map(({ value }) => value)
    .join(', ')

/** The offers whose wallets wait for a decision. Draws nothing if there are no such offers. */
export function Waiting() {
  const { offers: words, sessions, search } = useTexts()
  const client = useQueryClient()
  const titleOf = useTypeTitles()
  const waiting = useInfiniteQuery(waitingOffers)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [rejected, setRejected] = useState<readonly string[]>()
  const [failed, setFailed] = useState<readonly Undecided[]>([])
  const listed = waiting.data ?? []
  const ids = listed.flatMap(({ id }) => (chosen.has(id) ? [id] : [])).slice(0, AT_ONCE)
  const typesOf = (types: readonly string[]) => [...new Set(types.map(typeOfConfiguration))].map(titleOf).join(', ')
  const nameOf = ({ credentialConfigurationIds: types, ...names }: ListedOffer) => knownAs(names) ?? typesOf(types)
  // A decided offer leaves the list, so its name is kept beside the outcome.
  const named = (outcome: DecisionOutcome): Undecided => {
    const offer = listed.find(({ id }) => id === outcome.id)
    return { ...outcome, name: offer === undefined ? search.kinds.offer : nameOf(offer) }
  }
  // Offers without a name often have the same type, so a screen reader tells them apart by their claims.
  const aboutOf = (offer: ListedOffer) => knownAs(offer) ?? `${nameOf(offer)}, ${claimsOf(offer)}`
  const approve = useMutation({
    mutationFn: async (ids: readonly string[]) =>
      (await decideOffers(client, { decision: 'approve', ids: [...ids] })).map(named),
    onSuccess: setFailed,
  })
  const choose = (id: string, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(id)
    else next.delete(id)
    setChosen(next)
  }
  if (listed.length === 0 && rejected === undefined && failed.length === 0) return null
  return (
    <Panel title={words.waitingTitle} intro={words.waitingIntro}>
      {approve.isError && <ProblemNote error={approve.error} />}
      <UndecidedNote failed={failed} />
      <div className="row">
        <Check
          checked={listed.length > 0 && ids.length === Math.min(listed.length, AT_ONCE)}
          onChange={({ target }) => setChosen(new Set(target.checked ? listed.map(({ id }) => id) : []))}
        >
          {words.chooseAllWaiting}
        </Check>
        <button
          type="button"
          className="primary"
          disabled={ids.length === 0 || approve.isPending}
          onClick={() => approve.mutate(ids)}
        >
          {words.approveMany(ids.length)}
        </button>
        <button
          type="button"
          className="danger"
          disabled={ids.length === 0 || approve.isPending}
          onClick={() => setRejected(ids)}
        >
          {words.rejectMany(ids.length)}
        </button>
      </div>
      <Listing
        label={words.waitingTitle}
        rows={listed}
        keyOf={({ id }) => id}
        columns={[
          {
            key: 'session',
            name: sessions.session,
            cell: (offer) => (
              <Link to="/offers/$id" params={{ id: offer.id }}>
                <LongName>{nameOf(offer)}</LongName>
              </Link>
            ),
          },
          {
            key: 'type',
            name: words.type,
            cell: ({ credentialConfigurationIds: types }) => typesOf(types),
          },
          {
            key: 'claims',
            name: words.claims,
            cell: claimsOf,
          },
          { key: 'made', name: sessions.made, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
          {
            key: 'decision',
            name: words.decision,
            nameless: true,
            cell: (offer) => <Decision id={offer.id} about={aboutOf(offer)} onReject={() => setRejected([offer.id])} />,
          },
          {
            key: 'choice',
            name: words.chooseAllWaiting,
            nameless: true,
            cell: (offer) => (
              <Check checked={chosen.has(offer.id)} onChange={({ target }) => choose(offer.id, target.checked)}>
                <span className="hidden">{words.chooseWaiting(aboutOf(offer))}</span>
              </Check>
            ),
          },
        ]}
      />
      <More query={waiting} />
      {rejected !== undefined && (
        <RejectDialog
          ids={rejected}
          onDone={(outcomes) => setFailed(outcomes.map(named))}
          onClose={() => setRejected(undefined)}
        />
      )}
    </Panel>
  )
}
