import type { KeyProvider } from '../../../queries/signing-keys.js'
import { useSigningKeyTexts } from '../../../texts/signing-keys/use-signing-key-texts.js'
import { Fact } from '../../../ui/fact.js'
import { RelativeTime } from '../../../ui/relative-time.js'
import { Sentence } from '../../../ui/sentence.js'
import { Tag } from '../../../ui/tag.js'

interface Props {
  readonly provider: KeyProvider
  readonly isChecking: boolean
  /** Reads the health again. The service checks a provider at most once in some seconds. */
  readonly onCheck: () => void
}

/** Whether a key provider can be used; if not, why and since when. */
export function ProviderHealth({ provider, isChecking, onCheck }: Props) {
  const words = useSigningKeyTexts()
  const { name, status, reason, since, message, checkedAt } = provider
  return (
    <>
      <dl aria-live="polite">
        <Fact name={words.health}>
          {status === 'up' ? <Tag tone="good">{words.up}</Tag> : <Tag tone="bad">{words.away}</Tag>}
          {reason !== null && (
            <span>
              {' '}
              {words.reasons[reason]} {words.effect}
            </span>
          )}
        </Fact>
        {since !== null && (
          <Fact name={words.since}>
            <RelativeTime at={since} />
          </Fact>
        )}
        {message !== null && (
          <Fact name={words.message}>
            <Sentence>{message}</Sentence>
          </Fact>
        )}
        {checkedAt !== null && (
          <Fact name={words.checkedAt}>
            <RelativeTime at={checkedAt} />
          </Fact>
        )}
      </dl>
      <p>
        <button
          type="button"
          className="quiet"
          aria-label={`${words.checkAgain}: ${name}`}
          disabled={isChecking}
          onClick={onCheck}
        >
          {words.checkAgain}
        </button>
      </p>
    </>
  )
}
