import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Failure, failures } from '../../queries/overview.js'
import { sessionChecks } from '../../queries/requests.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Sentence } from '../../ui/sentence.js'

/** The latest failures, each with its reason. */
export function Failures() {
  const { overview: words } = useTexts()
  return (
    <Asked query={useQuery(failures)}>
      {(failed) =>
        failed.length === 0 ? (
          <p className="soft">{words.noFailures}</p>
        ) : (
          <ul className="checklist">
            {failed.map((failure) => (
              <li key={failure.id}>
                <Failed failure={failure} />
              </li>
            ))}
          </ul>
        )
      }
    </Asked>
  )
}

function Failed({ failure }: { readonly failure: Failure }) {
  const { overview: words } = useTexts()
  const { kind, id, createdAt, errorMessage } = failure
  return (
    <>
      <p className="checklist-title">
        {kind === 'offer' ? (
          <Link to="/offers/$id" params={{ id }}>
            {words.failedOffer}
          </Link>
        ) : (
          <Link to="/requests/$id" params={{ id }}>
            {words.failedRequest}
          </Link>
        )}{' '}
        {kind === 'request' && <FailedCheck id={id} />}
        <span className="soft">
          {' '}
          <RelativeTime at={createdAt} />
        </span>
      </p>
      {errorMessage !== undefined && (
        <p>
          <Sentence>{errorMessage}</Sentence>
        </p>
      )}
    </>
  )
}

/** Shows the first failed check of an answer. Shows nothing if there was no answer. */
function FailedCheck({ id }: { readonly id: string }) {
  const { checks: words } = useTexts()
  const failed = useQuery(sessionChecks(id)).data?.checks.find(({ outcome }) => outcome === 'failed')
  return failed === undefined ? null : <span className="tag bad">{words.names[failed.check]}</span>
}
