import { queryOptions } from '@tanstack/react-query'
import type { CredenceOutputs } from '../../index.js'
import { takeAnswer } from '../first-questions.js'
import type { Operation } from '../operations.js'
import { credence } from '../service.js'

export type Session = CredenceOutputs['console']['session']

/** The operations of the user who was signed in last. When a session ends, its screen stays with the user's input. */
let lastOperations: readonly string[] = []

/** The operations that the user of a session may call. */
export const operationsOf = (session: Session | undefined): readonly string[] =>
  session === undefined ? [] : (session.user?.operations ?? lastOperations)

/** The console session: the user who is signed in. */
export const session = queryOptions({
  queryKey: ['session'],
  // The REST route returns the output of the procedure.
  queryFn: async ({ signal }) => {
    const answer =
      ((await takeAnswer('session')) as Session | undefined) ?? (await credence.console.session.query({}, { signal }))
    if (answer.user !== null) lastOperations = answer.user.operations
    return answer
  },
})

/** The roles that each allow a user to call an operation. */
export const rolesFor = (operation: Operation) =>
  queryOptions({
    queryKey: ['session', 'roles', operation],
    queryFn: ({ signal }) => credence.console.roles.query({ operation }, { signal }),
  })

/** Ends the session. Resolves with the address that the browser must open next. */
export const endSession = () => credence.console.logout.mutate({})
