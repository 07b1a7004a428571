import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { consolePath } from '../address.js'
import { leaveTo } from '../leave-to.js'
import { endSession, type Session } from '../queries/session.js'
import { tellSignedOut } from '../signed-in.js'
import { useTexts } from '../texts/use-texts.js'
import { Dialog } from '../ui/dialog.js'
import { forgetDrafts, hasDrafts } from '../ui/kept/drafts.js'
import { ProblemNote } from '../ui/problem-note.js'

/** The user who is signed in, and the button to sign out. Signing out asks if the user has begun to fill in a form. */
export function User({ user }: { readonly user: NonNullable<Session['user']> }) {
  const { common, kept, session: words } = useTexts()
  const [isAsking, setAsking] = useState(false)
  const end = useMutation({
    mutationFn: endSession,
    onSuccess: ({ location }) => {
      forgetDrafts()
      tellSignedOut()
      void leaveTo(location ?? consolePath)
    },
  })
  return (
    <div className="user">
      <p title={user.sub}>{user.name ?? user.sub}</p>
      <button
        type="button"
        className="quiet"
        disabled={end.isPending}
        onClick={() => (hasDrafts() ? setAsking(true) : end.mutate())}
      >
        {words.signOut}
      </button>
      {end.isError && <ProblemNote error={end.error} />}
      {isAsking && (
        <Dialog title={kept.signOutTitle} onClose={() => setAsking(false)}>
          <p>{kept.signOutText}</p>
          <div className="row">
            <button
              type="button"
              className="danger"
              disabled={end.isPending}
              onClick={() => {
                setAsking(false)
                end.mutate()
              }}
            >
              {words.signOut}
            </button>
            <button type="button" onClick={() => setAsking(false)}>
              {common.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  )
}
