import { Link } from '@tanstack/react-router'
import {
  Activity,
  BadgeCheck,
  House,
  IdCard,
  type LucideIcon,
  QrCode,
  ScrollText,
  Send,
  Settings,
  Shapes,
  ShieldCheck,
  UserSearch,
  Wallet,
  Webhook,
} from 'lucide-react'
import { useId } from 'react'
import { type Group, PLACES, type Place } from '../navigation.js'
import { useTexts } from '../texts/use-texts.js'
import { useMay } from '../ui/use-may.js'

/** The size of an icon beside a word, in pixels. */
const ICON = 18

const ICONS: Readonly<Record<Place['name'], LucideIcon>> = {
  overview: House,
  types: Shapes,
  offers: QrCode,
  credentials: IdCard,
  requests: Send,
  verify: BadgeCheck,
  wallets: Wallet,
  sessions: Activity,
  audit: ScrollText,
  person: UserSearch,
  trust: ShieldCheck,
  webhooks: Webhook,
  settings: Settings,
}

interface Section {
  readonly group: Group | undefined
  readonly places: Place[]
}

/** Neighbouring entries with the same heading, as one section. */
function sectionsOf(places: readonly Place[]): Section[] {
  const sections: Section[] = []
  for (const place of places) {
    const last = sections.at(-1)
    if (last !== undefined && last.group === place.group) last.places.push(place)
    else sections.push({ group: place.group, places: [place] })
  }
  return sections
}

/** The links to the screens that the user may open, in sections. A section without a link is not drawn. */
export function Places() {
  const { common } = useTexts()
  const may = useMay()
  return (
    <nav aria-label={common.navigation}>
      {sectionsOf(PLACES.filter(({ to }) => may.open(to))).map(({ group, places }) => (
        <Links key={places[0]?.to} group={group} places={places} />
      ))}
    </nav>
  )
}

function Links({ group, places }: Section) {
  const { nav, navGroups } = useTexts()
  const id = useId()
  return (
    <div className="places">
      {group !== undefined && <p id={id}>{navGroups[group]}</p>}
      <ul aria-labelledby={group === undefined ? undefined : id}>
        {places.map(({ to, name }) => {
          const Icon = ICONS[name]
          return (
            <li key={to}>
              <Link to={to} activeOptions={{ exact: to === '/' }}>
                <Icon size={ICON} aria-hidden />
                {nav[name]}
              </Link>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
