import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { hasSessions } from '../../queries/overview.js'
import { typeNames } from '../../queries/types.js'
import { useTexts } from '../../texts/use-texts.js'
import { Panel } from '../../ui/panel.js'
import { useMay } from '../../ui/use-may.js'

/** The screen of each step. */
const SCREENS = { type: '/types/new-type', offer: '/offers', request: '/requests/new-request' } as const

const NAMES = ['type', 'offer', 'request'] as const
type Step = (typeof NAMES)[number]

/** The steps that the user may take. Empty when all of them have been done, and until this is known. */
export function useNextSteps(): readonly Step[] {
  const may = useMay()
  const steps = NAMES.filter((name) => may.open(SCREENS[name]))
  const types = useQuery(typeNames).data?.types
  // Without a type nothing has been offered, so the lists are not asked.
  const hasType = !steps.includes('type') || (types !== undefined && types.length > 0)
  const { data: hasAll } = useQuery({
    ...hasSessions(
      steps.includes('offer') && may.call('credentialOffers.sessions'),
      steps.includes('request') && may.call('verificationSessions.list'),
    ),
    // Sessions stay for days, so a step that has been done is not asked for again.
    enabled: ({ state }) => hasType && state.data !== true,
  })
  if (hasType) return hasAll === false ? steps : []
  return types === undefined ? [] : steps
}

/** The steps from an empty service to a verified credential. */
export function NextSteps({ steps }: { readonly steps: readonly Step[] }) {
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
            <Link to={SCREENS[name]}>{texts[name][0]}</Link>
            <p className="soft">{texts[name][1]}</p>
          </li>
        ))}
      </ol>
    </Panel>
  )
}
