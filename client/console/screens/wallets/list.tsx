import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { makeWallet, wallets } from '../../queries/wallets.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Empty } from '../../ui/empty.js'
import { Field } from '../../ui/field.js'
import { IdOnDemand } from '../../ui/id-on-demand.js'
import { Restored } from '../../ui/kept/restored.js'
import { useKeptState } from '../../ui/kept/use-kept.js'
import { Listing } from '../../ui/listing.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'

/** The user's hosted wallets. */
export function WalletList() {
  const { nav, wallets: words, names, terms, common } = useTexts()
  const kept = useKeptState('wallets', '')
  const name = kept.values
  const client = useQueryClient()
  const navigate = useNavigate()
  const making = useMutation({
    mutationFn: () => makeWallet(name),
    onSuccess: async ({ id }) => {
      kept.done()
      await client.invalidateQueries({ queryKey: ['wallets', 'list'] })
      await navigate({ to: '/wallets/$id', params: { id } })
    },
  })
  const make = (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault()
        making.mutate()
      }}
    >
      <Restored {...kept} />
      <Field label={names.name} hint={names.nameHint}>
        {(props) => (
          <input
            {...props}
            value={name}
            onChange={({ target }) => kept.set(() => target.value)}
            maxLength={200}
            autoComplete="off"
          />
        )}
      </Field>
      <p>
        <button type="submit" className="primary" disabled={making.isPending}>
          {words.make}
        </button>
      </p>
    </form>
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
                  cell: ({ id, name: named }) => (
                    <Link to="/wallets/$id" params={{ id }}>
                      {named ?? common.unnamed}
                    </Link>
                  ),
                },
                {
                  key: 'did',
                  name: words.did,
                  cell: ({ did }) => did !== undefined && <IdOnDemand id={did} what={words.did} />,
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
