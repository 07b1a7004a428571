import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useMatches } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { consolePath } from '../address.js'
import { useChanges } from '../changes/use-changes.js'
import { leaveTo } from '../leave-to.js'
import { NEEDS } from '../operations.js'
import { type Session, session } from '../queries/session.js'
import { onSignedIn } from '../signed-in.js'
import { useTexts } from '../texts/use-texts.js'
import { forgetDrafts } from '../ui/kept/drafts.js'
import { LeaveQuestion } from '../ui/kept/leave-question.js'
import { Skeleton } from '../ui/skeleton.js'
import { May, type Path, useMay } from '../ui/use-may.js'
import { Busy } from './busy.js'
import { Closed } from './closed.js'
import { ConnectionBar } from './connection-bar.js'
import { LanguageSwitch } from './language-switch.js'
import { NotPermitted } from './not-permitted.js'
import { Places } from './places.js'
import { Search } from './search.js'
import { SessionBar } from './session-bar.js'
import { ThemeSwitch } from './theme-switch.js'
import { User } from './user.js'

/** The address of the mark. Vite names the built file. */
const MARK = new URL('../mark.svg', import.meta.url).href

/** The session, and whether a user was signed in at any time since the page was opened. */
function useSession(): { readonly data: Session | undefined; readonly hadUser: boolean; readonly isKnown: boolean } {
  const client = useQueryClient()
  const { data, isPending } = useQuery(session)
  const [hadUser, setHadUser] = useState(false)
  const hasUser = data !== undefined && data.user !== null
  useEffect(() => {
    if (hasUser) setHadUser(true)
  }, [hasUser])
  useEffect(
    () =>
      onSignedIn({
        'signed-in': () => void client.invalidateQueries(),
        // After a sign-out in another window, this window shows nothing of the user either.
        'signed-out': () => {
          forgetDrafts()
          void leaveTo(consolePath)
        },
      }),
    [client],
  )
  useChanges(hasUser)
  return { data, hadUser, isKnown: !isPending }
}

/**
 * The user of the screen. If another user signs in after the end of a session, the drafts of the first user are
 * forgotten.
 */
function useOwner(sub: string | undefined): string | undefined {
  const [owner, setOwner] = useState(sub)
  if (sub === undefined || sub === owner) return owner
  if (owner !== undefined) forgetDrafts()
  setOwner(sub)
  return sub
}

/** The screen, or the role that it needs. */
function Permitted() {
  const may = useMay()
  const path = useMatches({ select: (matches) => matches.at(-1)?.fullPath })
  // An unknown address has no needs. Its match is the root.
  const known = path !== undefined && path in NEEDS ? (path as Path) : '/'
  const [operation] = NEEDS[known]
  return operation === undefined || may.open(known) ? <Outlet /> : <NotPermitted operation={operation} />
}

/** The frame around every screen. */
export function Shell() {
  const { common, session: words } = useTexts()
  const { data, hadUser, isKnown } = useSession()
  const isStranger = data?.user === null
  const owner = useOwner(data?.user?.sub)
  // While the session is unknown, and after its end, the frame stays as it is.
  const isClosed = !isKnown || (isStranger && !hadUser)
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
      <Busy />
      <ConnectionBar />
      <LeaveQuestion />
      {isStranger && hadUser && <SessionBar />}
      <div className="frame">
        <header className="side">
          <div className="brand">
            <Link to="/">
              <img src={MARK} alt="" width="28" height="28" />
              {common.product}
            </Link>
            <button
              type="button"
              hidden={isClosed}
              className="quiet menu"
              aria-expanded={isOpen}
              aria-controls="navigation"
              onClick={() => setOpen(!isOpen)}
            >
              {common.menu}
            </button>
          </div>
          {!isClosed && (
            <May call="search.find">
              <Search />
            </May>
          )}
          <div id="navigation" className={isOpen ? 'navigation open' : 'navigation'}>
            {!isClosed && <Places />}
            <div className="switches">
              <LanguageSwitch />
              <ThemeSwitch />
            </div>
            {data?.mode === 'login' && data.user !== null && <User user={data.user} />}
          </div>
        </header>
        <main id="content" tabIndex={-1}>
          {!isKnown ? <Skeleton /> : isClosed ? <Closed /> : <Permitted key={owner} />}
        </main>
      </div>
    </>
  )
}
