import { procedure, router } from '../api/trpc.js'
import {
  createPage,
  presentDecline,
  presentEvents,
  presentPage,
  presentReturn,
  receiveEvents,
  receivePage,
} from './people-pages.contract.js'
import type { PeoplePages } from './people-pages.js'
import type { PresentPages } from './present/present-pages.js'
import type { ReceivePages } from './receive/receive-pages.js'

/** The router of the endpoint with which a backend creates a page. */
export const createPageRouter = ({ create }: PeoplePages) =>
  router({
    create: procedure(createPage).mutation(({ ctx: { access, caller }, input }) => {
      const half = input.verificationSessionId === undefined ? 'issuer' : 'verifier'
      access.assertPermitted(caller, half)
      return create(caller, access.reach(half, { caller, client: false }), input)
    }),
  })

/** The router of the pages that browsers open. */
export const peoplePagesRouter = (presenting: PresentPages, receiving: ReceivePages) =>
  router({
    present: procedure(presentPage).query(({ ctx: { request }, input }) => presenting.show(request, input.id)),

    presentReturn: procedure(presentReturn).query(({ ctx: { request }, input }) =>
      presenting.comeBack(request, input.id, input.response_code),
    ),

    presentDecline: procedure(presentDecline).mutation(({ ctx: { request }, input }) =>
      presenting.decline(request, input.id, input.token),
    ),

    presentEvents: procedure(presentEvents).subscription(({ ctx: { request }, input }) =>
      presenting.watch(request, input.id, input.lastEventId),
    ),

    receive: procedure(receivePage).query(({ ctx: { request }, input }) => receiving.show(request, input.id)),

    receiveEvents: procedure(receiveEvents).subscription(({ ctx: { request }, input }) =>
      receiving.watch(request, input.id, input.lastEventId),
    ),
  })
