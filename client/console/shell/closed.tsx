import { useLocation } from '@tanstack/react-router'
import { loginAddress } from '../signed-in.js'
import { useTexts } from '../texts/use-texts.js'
import { Screen } from '../ui/screen.js'
import { ServiceLink } from './service-link.js'

/** The screen for a user who is not signed in. */
export function Closed() {
  const { session: words } = useTexts()
  const { pathname, searchStr } = useLocation()
  return (
    <Screen title={words.closedTitle}>
      <p>{words.closed}</p>
      <p className="row sign-in">
        <ServiceLink href={loginAddress(`${pathname}${searchStr}`)} className="button primary">
          {words.signIn}
        </ServiceLink>
        <ServiceLink href={loginAddress(`${pathname}${searchStr}`, 'other')} className="button">
          {words.otherAccount}
        </ServiceLink>
      </p>
    </Screen>
  )
}
