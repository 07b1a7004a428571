import { procedure, router } from '../../api/trpc.js'
import {
  addIssuerRegistration,
  addRegistration,
  listIssuerRegistrations,
  listRegistrations,
  removeIssuerRegistration,
  removeRegistration,
} from './registrations.contract.js'
import type { Registrations } from './registrations.js'

export const registrationsRouter = (registrations: Registrations) =>
  router({
    add: procedure(addRegistration).mutation(({ ctx: { caller }, input }) =>
      registrations.add('verifier', input, caller.sub),
    ),

    list: procedure(listRegistrations).query(({ input }) => registrations.list('verifier', input.id)),

    remove: procedure(removeRegistration).mutation(({ ctx: { caller }, input }) =>
      registrations.remove('verifier', input, caller.sub),
    ),

    addToIssuer: procedure(addIssuerRegistration).mutation(({ ctx: { caller }, input }) =>
      registrations.add('issuer', input, caller.sub),
    ),

    listOfIssuer: procedure(listIssuerRegistrations).query(({ input }) => registrations.list('issuer', input.id)),

    removeFromIssuer: procedure(removeIssuerRegistration).mutation(({ ctx: { caller }, input }) =>
      registrations.remove('issuer', input, caller.sub),
    ),
  })
