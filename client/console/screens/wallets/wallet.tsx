import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { heldCredentials, presentations, type Wallet as WalletRecord, wallets } from '../../queries/wallets.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Fact } from '../../ui/fact.js'
import { Panel } from '../../ui/panel.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { ShortId } from '../../ui/short-id.js'
import { Give } from './give.js'
import { Held } from './held.js'
import { Presented } from './presented.js'

const route = getRouteApi('/wallets/$id')

/** One hosted wallet: its credentials, its presentations, and a form for offers and requests. */
export function Wallet() {
  const { wallets: words } = useTexts()
  const { id } = route.useParams()
  return (
    <Screen title={words.one} intro={words.oneIntro}>
      <Asked query={useQuery(wallets)}>
        {(all) => {
          const wallet = all.find((each) => each.id === id)
          return wallet === undefined ? (
            <p className="bad">{words.unknown}</p>
          ) : (
            <Whole key={wallet.id} wallet={wallet} />
          )
        }}
      </Asked>
    </Screen>
  )
}

function Whole({ wallet }: { readonly wallet: WalletRecord }) {
  const { wallets: words } = useTexts()
  const { id, did, createdAt } = wallet
  return (
    <div className="stack">
      <div className="panels">
        <Panel title={words.give} intro={words.giveIntro}>
          <Give wallet={wallet} />
        </Panel>
        <Panel title={words.about}>
          <dl>
            {did !== undefined && (
              <Fact name={words.did}>
                <ShortId id={did} what={words.did} />
              </Fact>
            )}
            <Fact name={words.id}>
              <ShortId id={id} what={words.id} />
            </Fact>
            <Fact name={words.made}>
              <RelativeTime at={createdAt} />
            </Fact>
          </dl>
        </Panel>
      </div>
      <Asked query={useQuery(heldCredentials(id))}>{(held) => <Held wallet={wallet} credentials={held} />}</Asked>
      <Asked query={useQuery(presentations(id))}>
        {(shown) =>
          shown.length === 0 ? null : (
            <Panel title={words.presentations}>
              <Presented presentations={shown} />
            </Panel>
          )
        }
      </Asked>
    </div>
  )
}
