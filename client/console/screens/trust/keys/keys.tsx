import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  DATABASE,
  type KeyProvider,
  keyProviders,
  type SigningKey,
  signingKeys,
} from '../../../queries/signing-keys.js'
import { useSigningKeyTexts } from '../../../texts/signing-keys/use-signing-key-texts.js'
import { Asked } from '../../../ui/asked.js'
import { More } from '../../../ui/more.js'
import { Panel } from '../../../ui/panel.js'
import { Screen } from '../../../ui/screen.js'
import { May } from '../../../ui/use-may.js'
import { Sections } from '../sections.js'
import { KeyTable } from './key-table.js'
import { ProviderHealth } from './provider-health.js'
import { RotateDialog } from './rotate-dialog.js'

/** The keys with which records sign, by place, and the health of the key providers. */
export function SigningKeys() {
  const words = useSigningKeyTexts()
  const query = useQuery(keyProviders)
  const [rotating, setRotating] = useState<SigningKey>()
  return (
    <Screen title={words.title} intro={words.intro}>
      <Sections />
      <div className="stack">
        <Asked query={query}>
          {(providers) =>
            providers.map((provider) => (
              <Panel key={provider.name} title={provider.name} intro={words.kinds[provider.kind]}>
                <ProviderHealth
                  provider={provider}
                  isChecking={query.isFetching}
                  onCheck={() => void query.refetch()}
                />
                <Keys place={provider.name} onRotate={setRotating} />
              </Panel>
            ))
          }
        </Asked>
        <Panel title={words.database} intro={words.databaseIntro}>
          <Keys place={DATABASE} onRotate={setRotating} />
        </Panel>
        {query.data?.length === 0 && <NoProviders />}
      </div>
      {rotating !== undefined && (
        <Rotating signingKey={rotating} providers={query.data ?? []} onClose={() => setRotating(undefined)} />
      )}
    </Screen>
  )
}

interface RotatingProps {
  readonly signingKey: SigningKey
  readonly providers: readonly KeyProvider[]
  readonly onClose: () => void
}

/** The dialog is about the key that the user chose, although the list behind it changes. */
const Rotating = ({ signingKey, providers, onClose }: RotatingProps) => (
  <RotateDialog key={signingKey.id} signingKey={signingKey} providers={providers} onClose={onClose} />
)

function NoProviders() {
  const words = useSigningKeyTexts()
  return (
    <Panel title={words.noProviders}>
      <p>{words.noProvidersText}</p>
      <May open="/settings">
        <p>
          <Link to="/settings">{words.toSettings}</Link>
        </p>
      </May>
    </Panel>
  )
}

interface KeysProps {
  readonly place: string
  readonly onRotate: (key: SigningKey) => void
}

function Keys({ place, onRotate }: KeysProps) {
  const words = useSigningKeyTexts()
  const query = useInfiniteQuery(signingKeys(place))
  return (
    <Asked query={query}>
      {(keys) =>
        keys.length === 0 ? (
          <p className="soft">{words.none}</p>
        ) : (
          <>
            <KeyTable label={place === DATABASE ? words.database : place} keys={keys} onRotate={onRotate} />
            <More query={query} />
          </>
        )
      }
    </Asked>
  )
}
