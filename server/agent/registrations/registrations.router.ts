import { procedure, router } from '../../api/trpc.js'
import { addRegistration, listRegistrations, removeRegistration } from './registrations.contract.js'
import type { Registrations } from './registrations.js'

export const registrationsRouter = (registrations: Registrations) =>
  router({
    add: procedure(addRegistration).mutation(({ ctx: { caller }, input }) => registrations.add(input, caller.sub)),

    list: procedure(listRegistrations).query(({ input }) => registrations.list(input.id)),

    remove: procedure(removeRegistration).mutation(({ ctx: { caller }, input }) =>
      registrations.remove(input, caller.sub),
    ),
  })
