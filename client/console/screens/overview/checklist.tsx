import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Setup, type SetupItem, setup, setupAtOnce } from '../../queries/overview.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Sentence } from '../../ui/sentence.js'
import { Tag } from '../../ui/tag.js'
import { type Path, useMay } from '../../ui/use-may.js'

const TONES = { ok: 'good', warning: 'warn', missing: 'warn', failed: 'bad', unused: 'plain' } as const

/** The setup in one line, which opens its checks. Checks that call other systems appear when these systems have answered. */
export function Checklist() {
  const { overview: words } = useTexts()
  const whole = useQuery(setup)
  const atOnce = useQuery({ ...setupAtOnce, enabled: whole.data === undefined })
  const known = whole.data ?? atOnce.data
  if (known === undefined) return <Asked query={atOnce}>{() => null}</Asked>
  return (
    <>
      <Found setup={known} />
      {whole.isError && <ProblemNote error={whole.error} />}
      {whole.isPending && (
        <p className="loading" role="status">
          {words.asking}
        </p>
      )}
    </>
  )
}

/** The states in the order of the list: what does not work comes first. */
const ORDER: readonly SetupItem['state'][] = ['failed', 'missing', 'warning', 'ok', 'unused']

/** How many checks need attention. The line opens the list of all checks. */
function Found({ setup: { items, warnings } }: { readonly setup: Setup }) {
  const { overview: words } = useTexts()
  const used = items.filter(({ state }) => state !== 'unused')
  const open = used.filter(({ state }) => state !== 'ok').length
  return (
    <>
      <details>
        <summary className={open === 0 ? 'good' : 'attention'}>{words.toDo(open, used.length)}</summary>
        <Items items={items.toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state))} />
      </details>
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
    </>
  )
}

/** The screen on which the user changes what an item is about. */
const SCREENS = {
  issuerKey: '/trust/keys',
  verifierKey: '/trust/keys',
  keyProviders: '/trust/keys',
  trustLists: '/trust/lists',
} as const satisfies Partial<Record<SetupItem['id'], Path>>

const screenOf = (id: SetupItem['id']) => (id in SCREENS ? SCREENS[id as keyof typeof SCREENS] : undefined)

/** The name of an item. It leads to the screen of the item, if there is one that the user may open. */
function Name({ id }: Pick<SetupItem, 'id'>) {
  const { overview: words } = useTexts()
  const may = useMay()
  const screen = screenOf(id)
  const name = words.setupItems[id]
  return screen === undefined || !may.open(screen) ? <span>{name}</span> : <Link to={screen}>{name}</Link>
}

function Items({ items }: { readonly items: readonly SetupItem[] }) {
  const { overview: words } = useTexts()
  if (items.length === 0) return null
  return (
    <ul className="checklist">
      {items.map(({ id, state, sentence, action, expiresAt }) => (
        <li key={id}>
          <p className="checklist-title">
            <Name id={id} /> <Tag tone={TONES[state]}>{words.setupStates[state]}</Tag>
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
