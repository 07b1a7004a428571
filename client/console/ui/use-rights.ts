import { useQuery } from '@tanstack/react-query'
import { session } from '../queries/session.js'

/** The rights of the console's user. If sign-in is switched off, every user has all rights. */
export function useRights(): { readonly isAdmin: boolean; readonly mayIssue: boolean; readonly mayVerify: boolean } {
  const { data } = useQuery(session)
  const isOpen = data?.mode === 'open'
  const user = data?.user
  return {
    isAdmin: isOpen || user?.isAdmin === true,
    mayIssue: isOpen || user?.mayIssue === true,
    mayVerify: isOpen || user?.mayVerify === true,
  }
}
