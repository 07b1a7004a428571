import { useMutation } from '@tanstack/react-query'
import { consolePath } from '../address.js'
import { endSession, type Session } from '../queries/session.js'
import { useTexts } from '../texts/use-texts.js'
import { ProblemNote } from '../ui/problem-note.js'

/** The user who is signed in, and the button to sign out. */
export function User({ user }: { readonly user: NonNullable<Session['user']> }) {
  const { session: words } = useTexts()
  const end = useMutation({
    mutationFn: endSession,
    onSuccess: ({ location }) => window.location.assign(location ?? consolePath),
  })
  return (
    <div className="user">
      <p title={user.sub}>{user.name ?? user.sub}</p>
      <button type="button" className="quiet" disabled={end.isPending} onClick={() => end.mutate()}>
        {words.signOut}
      </button>
      {end.isError && <ProblemNote error={end.error} />}
    </div>
  )
}
