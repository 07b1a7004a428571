import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { heldCredentials, presentations, type Wallet as WalletRecord, wallets } from '../../queries/wallets.js'
import { useRegistrationTexts } from '../../texts/registrations/use-registration-texts.js'
import { useSpoken, useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Fact } from '../../ui/fact.js'
import { Panel } from '../../ui/panel.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { ShortId } from '../../ui/short-id.js'
import { May } from '../../ui/use-may.js'
import { Give } from './give.js'
import { Held } from './held.js'
import { PresentedByWallet } from './presented.js'
import { Rename } from './rename.js'

const route = getRouteApi('/wallets/$id')

/** One hosted wallet: its credentials, its presentations, and a form for offers and requests. */
export function Wallet() {
  // The question for a person needs these texts later. They load with the screen, so that the screen does not disappear meanwhile.
  useRegistrationTexts()
  const { wallets: words } = useTexts()
  const { id } = route.useParams()
  const query = useQuery(wallets)
  const found = query.data?.find((each) => each.id === id)
  const [isRenaming, setRenaming] = useState(false)
  const rename = (
    <May call="holders.rename">
      <button type="button" onClick={() => setRenaming(true)}>
        {words.rename}
      </button>
    </May>
  )
  return (
    <Screen title={found?.name ?? words.one} intro={words.oneIntro} actions={found && rename}>
      <Asked query={query}>
        {(all) => {
          const wallet = all.find((each) => each.id === id)
          return wallet === undefined ? (
            <p className="bad">{words.unknown}</p>
          ) : (
            <Whole key={wallet.id} wallet={wallet} />
          )
        }}
      </Asked>
      {isRenaming && found !== undefined && <Rename wallet={found} onClose={() => setRenaming(false)} />}
    </Screen>
  )
}

function Whole({ wallet }: { readonly wallet: WalletRecord }) {
  const { language, texts } = useSpoken()
  const { wallets: words } = texts
  const { id, did, createdAt } = wallet
  const heldQuery = useQuery(heldCredentials(id, language))
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
      <Asked query={heldQuery}>{(held) => <Held wallet={wallet} credentials={held} />}</Asked>
      <Asked query={useQuery(presentations(id))}>
        {(shown) =>
          shown.length === 0 ? null : (
            <Panel title={words.presentations}>
              <PresentedByWallet walletId={id} presentations={shown} held={heldQuery.data} />
            </Panel>
          )
        }
      </Asked>
    </div>
  )
}
