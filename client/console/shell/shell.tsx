import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useChanges } from '../changes/use-changes.js'
import { PLACES } from '../navigation.js'
import { type Session, session } from '../queries/session.js'
import { onSignedIn } from '../signed-in.js'
import { useTexts } from '../texts/use-texts.js'
import { Closed } from './closed.js'
import { ConnectionBar } from './connection-bar.js'
import { LanguageSwitch } from './language-switch.js'
import { SessionBar } from './session-bar.js'
import { User } from './user.js'

/** The session, and whether a user was signed in at any time since the page was opened. */
function useSession(): { readonly data: Session | undefined; readonly hadUser: boolean; readonly isKnown: boolean } {
  const client = useQueryClient()
  const { data, isPending } = useQuery(session)
  const [hadUser, setHadUser] = useState(false)
  const hasUser = data !== undefined && data.user !== null
  useEffect(() => {
    if (hasUser) setHadUser(true)
  }, [hasUser])
  useEffect(() => onSignedIn(() => void client.invalidateQueries()), [client])
  useChanges(hasUser)
  return { data, hadUser, isKnown: !isPending }
}

/** The frame around every screen. */
export function Shell() {
  const { common, nav, session: words } = useTexts()
  const { data, hadUser, isKnown } = useSession()
  const isStranger = data?.user === null
  const { pathname } = useLocation()
  const [isOpen, setOpen] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes because the place has changed.
  useEffect(() => setOpen(false), [pathname])
  return (
    <>
      <a className="skip" href="#content">
        {common.skip}
      </a>
      {data?.mode === 'open' && (
        <p className="banner" role="note">
          {words.open}
        </p>
      )}
      <ConnectionBar />
      {isStranger && hadUser && <SessionBar />}
      <div className="frame">
        <header className="side">
          <div className="brand">
            <Link to="/">{common.product}</Link>
            <button
              type="button"
              className="quiet menu"
              aria-expanded={isOpen}
              aria-controls="navigation"
              onClick={() => setOpen(!isOpen)}
            >
              {common.menu}
            </button>
          </div>
          <div id="navigation" className={isOpen ? 'navigation open' : 'navigation'}>
            <nav aria-label={common.navigation}>
              <ul>
                {PLACES.map(({ to, name }) => (
                  <li key={to}>
                    <Link to={to} activeOptions={{ exact: to === '/' }}>
                      {nav[name]}
                    </Link>
                  </li>
                ))}
              </ul>
            </nav>
            <LanguageSwitch />
            {data?.mode === 'login' && data.user !== null && <User user={data.user} />}
          </div>
        </header>
        <main id="content" tabIndex={-1}>
          {isKnown && (isStranger && !hadUser ? <Closed /> : <Outlet />)}
        </main>
      </div>
    </>
  )
}
