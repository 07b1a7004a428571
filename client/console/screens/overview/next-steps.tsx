import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FirstStep, stepsDone } from '../../queries/overview.js'
import { useTexts } from '../../texts/use-texts.js'
import { Panel } from '../../ui/panel.js'
import { useMay } from '../../ui/use-may.js'

/** The screen of each step, and the operation that lists what the step makes. */
const STEPS = {
  type: { to: '/types/new-type', list: 'schemas.list' },
  offer: { to: '/offers', list: 'credentialOffers.sessions' },
  request: { to: '/requests/new-request', list: 'verificationSessions.list' },
} as const

const NAMES = ['type', 'offer', 'request'] as const satisfies readonly FirstStep[]

/** The steps that the user may take. Empty when all of them have been done, and until this is known. */
export function useNextSteps(): readonly FirstStep[] {
  const may = useMay()
  const mayList = (name: FirstStep) => may.call(STEPS[name].list)
  const { data: done } = useQuery(
    stepsDone({ type: mayList('type'), offer: mayList('offer'), request: mayList('request') }),
  )
  const steps = NAMES.filter((name) => may.open(STEPS[name].to))
  return done === undefined || steps.every((name) => done[name]) ? [] : steps
}

/** The steps from an empty service to a verified credential. */
export function NextSteps({ steps }: { readonly steps: readonly FirstStep[] }) {
  const { overview: words } = useTexts()
  const texts = {
    type: [words.nextType, words.nextTypeText],
    offer: [words.nextOffer, words.nextOfferText],
    request: [words.nextRequest, words.nextRequestText],
  } as const
  return (
    <Panel title={words.next}>
      <ol className="steps">
        {steps.map((name) => (
          <li key={name}>
            <Link to={STEPS[name].to}>{texts[name][0]}</Link>
            <p className="soft">{texts[name][1]}</p>
          </li>
        ))}
      </ol>
    </Panel>
  )
}
