import { problemOf } from '../problems.js'
import { useTexts } from '../texts/use-texts.js'

interface Props {
  readonly error: unknown
  /**
   * Sentences to show instead of all sentences of the error, for example only the sentences that belong to no field.
   */
  readonly messages?: readonly string[]
}

/** The error of a call, in sentences. */
export function ProblemNote({ error, messages }: Props) {
  const { problem: words } = useTexts()
  const problem = problemOf(error)
  const sentences = messages ?? problem.messages
  const lead =
    problem.status === undefined && sentences.length === 0
      ? words.unreachable
      : problem.status === 404 || problem.status === 410
        ? words.missing
        : problem.status === 403
          ? words.denied
          : words.title
  return (
    <div className="problem-note" role="alert">
      <strong>{messages?.length === 0 ? words.wrong : lead}</strong>
      {sentences.length > 0 && (
        <ul>
          {sentences.map((sentence) => (
            <li key={sentence} lang="en">
              {sentence}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
