import type { CheckDone } from '../queries/shapes.js'
import { useTexts } from '../texts/use-texts.js'
import { reasonIn } from './reasons.js'
import { Sentence } from './sentence.js'

interface Props {
  /** The sentence of the service, in English. */
  readonly children: string
  /** The failed check that the sentence is about, if it is known. */
  readonly check?: CheckDone['check'] | undefined
  /** The text for a sentence that the console does not know. Without it, the sentence itself is shown. */
  readonly otherwise?: string
}

/**
 * Why something failed, in the user's language. The sentence of the service opens below. A sentence that a person wrote is shown as
 * it is.
 */
export function Reason({ children: sentence, check, otherwise }: Props) {
  const { checks, reasons } = useTexts()
  const own = check === undefined ? (reasonIn(reasons, sentence) ?? otherwise) : checks.failed[check]
  if (own === undefined) return <Sentence>{sentence}</Sentence>
  return (
    <div className="reason">
      <span>{own}</span>
      <details>
        <summary>{reasons.details}</summary>
        <Sentence>{sentence}</Sentence>
      </details>
    </div>
  )
}
