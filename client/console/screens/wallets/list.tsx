import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { makeWallet, wallets } from '../../queries/wallets.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Empty } from '../../ui/empty.js'
import { Listing } from '../../ui/listing.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { ShortId, shortened } from '../../ui/short-id.js'

/** The user's hosted wallets. */
export function WalletList() {
  const { nav, wallets: words, terms } = useTexts()
  const client = useQueryClient()
  const navigate = useNavigate()
  const making = useMutation({
    mutationFn: makeWallet,
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ['wallets', 'list'] })
      await navigate({ to: '/wallets/$id', params: { id } })
    },
  })
  const make = (
    <button type="button" className="primary" disabled={making.isPending} onClick={() => making.mutate()}>
      {words.make}
    </button>
  )
  const listing = useQuery(wallets)
  return (
    <Screen
      title={nav.wallets}
      intro={words.intro}
      term={terms.hostedWallet}
      actions={listing.data?.length === 0 ? undefined : make}
    >
      {making.isError && <ProblemNote error={making.error} />}
      <Asked query={listing}>
        {(listed) =>
          listed.length === 0 ? (
            <Empty title={words.none} text={words.noneText}>
              {make}
            </Empty>
          ) : (
            <Listing
              label={nav.wallets}
              rows={listed}
              keyOf={({ id }) => id}
              columns={[
                {
                  key: 'wallet',
                  name: words.wallet,
                  cell: ({ id }) => (
                    <Link to="/wallets/$id" params={{ id }}>
                      <code title={id}>{shortened(id)}</code>
                    </Link>
                  ),
                },
                {
                  key: 'did',
                  name: words.did,
                  cell: ({ did }) => did !== undefined && <ShortId id={did} what={words.did} />,
                },
                { key: 'made', name: words.made, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
              ]}
            />
          )
        }
      </Asked>
    </Screen>
  )
}
