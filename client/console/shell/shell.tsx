import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { PLACES } from '../navigation.js'
import { session } from '../queries/session.js'
import { useTexts } from '../texts/use-texts.js'
import { Closed } from './closed.js'
import { ConnectionBar } from './connection-bar.js'
import { LanguageSwitch } from './language-switch.js'

/** What stands around every screen. */
export function Shell() {
  const { common, nav, session: words } = useTexts()
  const { data } = useQuery(session)
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
          </div>
        </header>
        <main id="content" tabIndex={-1}>
          {data?.mode === 'none' ? <Closed /> : <Outlet />}
        </main>
      </div>
    </>
  )
}
