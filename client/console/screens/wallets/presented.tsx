import type { Presentation } from '../../queries/wallets.js'
import { useTexts } from '../../texts/use-texts.js'
import { Listing } from '../../ui/listing.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Sentence } from '../../ui/sentence.js'
import { shortenedClient } from '../../ui/short-id.js'

/** The presentations of a wallet: verifier and outcome. */
export function Presented({ presentations }: { readonly presentations: readonly Presentation[] }) {
  const { wallets: words } = useTexts()
  return (
    <Listing
      label={words.presentations}
      rows={presentations}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'verifier',
          name: words.verifier,
          cell: ({ verifier }) => <code title={verifier}>{shortenedClient(verifier)}</code>,
        },
        { key: 'at', name: words.presentedAt, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
        {
          key: 'state',
          name: words.state,
          cell: ({ state }) => (
            <span className={state === 'accepted' ? 'tag good' : 'tag bad'}>{words.states[state]}</span>
          ),
        },
        {
          key: 'why',
          name: words.why,
          cell: ({ errorMessage }) => errorMessage !== undefined && <Sentence>{errorMessage}</Sentence>,
        },
      ]}
    />
  )
}
