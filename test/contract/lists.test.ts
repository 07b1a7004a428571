import { expect, it } from 'vitest'
import { changingLists, reading, readingPrimary } from '../../server/api/trpc.js'
import { primaryLists } from '../../server/database/replica/lists.js'
import { allProcedures, type ContractedProcedure } from './procedures.js'

/**
 * Whether a procedure uses a middleware. Some middlewares make a new function for each list, so their functions are
 * compared by name.
 */
const uses = (
  { middlewares }: ContractedProcedure,
  { _middlewares: [own] }: { _middlewares: ((...args: never) => unknown)[] },
) => middlewares.some((each) => each === own || (own?.name !== '' && (each as typeof own)?.name === own?.name))

const LIST = reading(primaryLists({}))
const PRIMARY_LIST = readingPrimary({})

const namesWith = (test: (procedure: ContractedProcedure) => boolean) =>
  allProcedures
    .filter(test)
    .map(({ name }) => name)
    .sort()

it('only lists are read from a replica: decisions, status lists, sessions and results are read from the primary', () => {
  expect(namesWith((procedure) => uses(procedure, LIST))).toEqual([
    'agent.dids',
    'agent.issuers',
    'agent.verifiers',
    'agentHolders.list',
    'audit.list',
    'credentials.list',
    'holders.dids',
    'offerings.list',
    'schemas.list',
    'signers.issuers',
    'signers.verifiers',
    'signingKeys.list',
    'trustedIssuers.list',
    'vpQueries.list',
    'walletCredentials.list',
    'walletPresentations.list',
  ])
})

it('lists of sessions, exports, status jobs and webhooks are the primary’s', () => {
  expect(namesWith((procedure) => uses(procedure, PRIMARY_LIST))).toEqual([
    'credentialOffers.sessions',
    'exports.list',
    'images.list',
    'offerBatches.list',
    'statusJobs.list',
    'verificationSessions.list',
    'webhooks.deliveries',
    'webhooks.list',
  ])
})

/**
 * Changes that appear in no list, or only in lists of sessions, exports and status jobs, which are read from the primary. A new
 * procedure that changes data must be added here, or must use `changingLists`.
 */
const SHOWN_IN_NO_LIST: readonly string[] = [
  'authorizationRequests.create',
  'claimsSource.replaceSecret',
  'claimsSource.test',
  'console.logout',
  'credentialOffers.approve',
  'credentialOffers.cancel',
  'credentialOffers.create',
  'credentialOffers.createMany',
  'credentialOffers.decide',
  'credentialOffers.reject',
  'credentialOffers.resend',
  'exports.create',
  'flows.decline',
  'images.add',
  'images.remove',
  'offerBatches.cancel',
  'pages.create',
  'qrCodes.delete',
  'registrations.add',
  'registrations.addToIssuer',
  'registrations.remove',
  'registrations.removeFromIssuer',
  'schemas.assign',
  'schemas.unassign',
  'statusJobs.cancel',
  'statusJobs.create',
  'statusJobs.pause',
  'statusJobs.resume',
  'trustLists.add',
  'trustLists.explain',
  'trustLists.refresh',
  'trustLists.remove',
  'verify.checks',
  'verify.verify',
  'vpQueries.authorizationRequest',
  'webhooks.change',
  'webhooks.create',
  'webhooks.remove',
  'webhooks.replay',
  'webhooks.resend',
  'webhooks.rotateSecret',
  'webhooks.test',
]

it('after every change that lists show, its caller reads lists from the primary', () => {
  const others = namesWith(
    (procedure) =>
      procedure.type === 'mutation' &&
      !['public', 'wallet'].includes(procedure.meta?.rest?.access ?? '') &&
      !uses(procedure, changingLists),
  )
  expect(others).toEqual(SHOWN_IN_NO_LIST)
})
