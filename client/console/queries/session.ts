import { queryOptions } from '@tanstack/react-query'
import type { CredenceOutputs } from '../../index.js'
import { takeAnswer } from '../first-questions.js'
import { credence } from '../service.js'

export type Session = CredenceOutputs['console']['session']

/** The console session: the user who is signed in. */
export const session = queryOptions({
  queryKey: ['session'],
  // REST answers what the procedure gives.
  queryFn: async ({ signal }) =>
    ((await takeAnswer('session')) as Session | undefined) ?? credence.console.session.query({}, { signal }),
})

/** Ends the session; resolves with the browser's next address. */
export const endSession = () => credence.console.logout.mutate({})
