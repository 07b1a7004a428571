import { queryOptions } from '@tanstack/react-query'
import type { CredenceOutputs } from '../../index.js'
import { takeAnswer } from '../first-questions.js'
import { credence } from '../service.js'

export type Session = CredenceOutputs['console']['session']

/** The console session: the user who is signed in. */
export const session = queryOptions({
  queryKey: ['session'],
  // The REST route returns the output of the procedure.
  queryFn: async ({ signal }) =>
    ((await takeAnswer('session')) as Session | undefined) ?? credence.console.session.query({}, { signal }),
})

/** Ends the session. Resolves with the address that the browser must open next. */
export const endSession = () => credence.console.logout.mutate({})
