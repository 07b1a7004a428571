import { useQuery } from '@tanstack/react-query'
import { type Setup, type SetupItem, setup, setupAtOnce } from '../../queries/overview.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Sentence } from '../../ui/sentence.js'

const TONES = { ok: 'tag good', warning: 'tag warn', missing: 'tag warn', failed: 'tag bad', unused: 'tag' } as const

/** The checks of the setup. Checks that call other systems appear when these systems have answered. */
export function Checklist() {
  const { overview: words } = useTexts()
  const whole = useQuery(setup)
  const atOnce = useQuery({ ...setupAtOnce, enabled: whole.data === undefined })
  if (whole.data !== undefined) return <Found setup={whole.data} isWhole />
  return (
    <Asked query={atOnce}>
      {(known) => (
        <>
          <Found setup={known} isWhole={false} />
          {whole.isError ? (
            <ProblemNote error={whole.error} />
          ) : (
            <p className="loading" role="status">
              {words.asking}
            </p>
          )}
        </>
      )}
    </Asked>
  )
}

interface FoundProps {
  readonly setup: Setup
  readonly isWhole: boolean
}

/** Checks that need attention are unfolded. All other checks are folded. */
function Found({ setup: { items, warnings }, isWhole }: FoundProps) {
  const { overview: words } = useTexts()
  const isDone = ({ state }: SetupItem) => state === 'ok' || state === 'unused'
  const open = items.filter((item) => !isDone(item))
  const done = items.filter(isDone)
  return (
    <>
      {(isWhole || open.length > 0) && (
        <p className={open.length === 0 ? 'good' : 'state'}>{words.toDo(open.length)}</p>
      )}
      <Items items={open} />
      {warnings.length > 0 && (
        <details>
          <summary>{words.warnings(warnings.length)}</summary>
          <ul className="warnings">
            {warnings.map((warning) => (
              <li key={warning}>
                <Sentence>{warning}</Sentence>
              </li>
            ))}
          </ul>
        </details>
      )}
      {done.length > 0 && (
        <details>
          <summary>{words.done(done.length)}</summary>
          <Items items={done} />
        </details>
      )}
    </>
  )
}

function Items({ items }: { readonly items: readonly SetupItem[] }) {
  const { overview: words } = useTexts()
  if (items.length === 0) return null
  return (
    <ul className="checklist">
      {items.map(({ id, state, sentence, action, expiresAt }) => (
        <li key={id}>
          <p className="checklist-title">
            {words.setupItems[id]} <span className={TONES[state]}>{words.setupStates[state]}</span>
          </p>
          <p>
            <Sentence>{sentence}</Sentence>
            {expiresAt !== undefined && (
              <span className="soft">
                {' '}
                {words.expires} <RelativeTime at={expiresAt} />
              </span>
            )}
          </p>
          {action !== null && (
            <p className="soft">
              <Sentence>{action}</Sentence>
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}
