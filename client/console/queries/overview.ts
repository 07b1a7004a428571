import { queryOptions } from '@tanstack/react-query'
import type { CredenceOutputs } from '../../index.js'
import { takeAnswer } from '../first-questions.js'
import { credence, slowCredence } from '../service.js'
import { byLocalDay, midnightBefore } from './local-days.js'
import type { ListedOffer, ListedVerification } from './shapes.js'

export type Setup = CredenceOutputs['setup']['read']
export type SetupItem = Setup['items'][number]

/** All checks of the setup. For these checks the service calls other systems, so the answer is cached for a while. */
export const setup = queryOptions({
  queryKey: ['setup', 'whole'],
  queryFn: ({ signal }) => slowCredence.setup.read.query({}, { signal }),
  staleTime: 60_000,
})

/** The checks of the setup that need no call to another system. Their answer comes at once. */
export const setupAtOnce = queryOptions({
  queryKey: ['setup', 'at once'],
  // The REST route returns the output of the procedure.
  queryFn: async ({ signal }) =>
    ((await takeAnswer('setup')) as Setup | undefined) ?? credence.setup.read.query({ ask: false }, { signal }),
})

export type Statistics = CredenceOutputs['statistics']['read']
export type Figures = Statistics['steps'][number]

const DAYS = 30

/** Figures for each of the last 30 days in the zone of the browser. The last day is today. */
export const statistics = queryOptions({
  queryKey: ['statistics'],
  queryFn: async ({ signal }) => {
    const from = midnightBefore(DAYS - 1, new Date()).toISOString()
    const read = await credence.statistics.read.query({ from, step: 'hour' }, { signal })
    return { ...read, steps: byLocalDay(read.steps) }
  },
})

const SHOWN = 5

export type Failure = ({ readonly kind: 'offer' } & ListedOffer) | ({ readonly kind: 'request' } & ListedVerification)

const NONE = { items: [] }

/**
 * Whether there is an offer and a request. Without an offer, requests are not asked for.
 *
 * @param ofOffers, ofRequests the lists that count, because the user may read them
 */
export const hasSessions = (ofOffers: boolean, ofRequests: boolean) =>
  queryOptions({
    queryKey: ['overview', 'has sessions', ofOffers, ofRequests],
    queryFn: async ({ signal }): Promise<boolean> => {
      const one = { limit: 1 } as const
      if (ofOffers && (await credence.credentialOffers.sessions.query(one, { signal })).items.length === 0) return false
      return !ofRequests || (await credence.verificationSessions.list.query(one, { signal })).items.length > 0
    },
  })

/** Failed sessions of both kinds, newest first. @param ofOffers, ofRequests whether the user may list sessions of the kind */
export const failures = (ofOffers: boolean, ofRequests: boolean) =>
  queryOptions({
    queryKey: ['overview', 'failures', ofOffers, ofRequests],
    queryFn: async ({ signal }): Promise<Failure[]> => {
      const asked = { state: 'Error', limit: SHOWN } as const
      const [offers, requests] = await Promise.all([
        ofOffers ? credence.credentialOffers.sessions.query(asked, { signal }) : NONE,
        ofRequests ? credence.verificationSessions.list.query(asked, { signal }) : NONE,
      ])
      const all: Failure[] = [
        ...offers.items.map((item) => ({ kind: 'offer' as const, ...item })),
        ...requests.items.map((item) => ({ kind: 'request' as const, ...item })),
      ]
      return all.sort((one, other) => other.createdAt.localeCompare(one.createdAt)).slice(0, SHOWN)
    },
  })
