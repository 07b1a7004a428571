import { expect, it } from 'vitest'
import { createVault } from '../../../server/keys/vault.js'
import { createFlowRecords } from '../../../server/wallet/flows/records.js'
import type { FlowState, StoredFlow } from '../../../server/wallet/flows/store.js'

const NOW = new Date('2026-03-01T12:00:00Z')
const HOLDER = { did: 'did:example:alice', hosted: undefined }
const OFFERING = { kind: 'offering', offeringId: 'an offering' } as const

/** Makes the records with flows in memory. Each lookup finds the next of the given states. */
function records(...states: readonly FlowState[]) {
  const stored: StoredFlow[] = []
  const left = [...states]
  const of = createFlowRecords({
    store: {
      insert: async (flow) => {
        stored.push(flow)
      },
      find: async (id, sub, now) => {
        const flow = stored.find((one) => one.id === id && one.createdBy === sub && one.expiresAt > now)
        return flow === undefined ? undefined : { ...flow, state: left.shift() ?? 'initialized' }
      },
      end: async () => false,
      reopen: async () => {},
    },
    vault: createVault([new Uint8Array(32)]),
    newId: () => 'a flow',
    clock: () => NOW,
  })
  return { ...of, stored }
}

it('a flow lasts ten minutes, and its pending action can be read only through the vault', async () => {
  const { add, contentOf, stored } = records()
  const id = await add('claim', 'alice', HOLDER, OFFERING)
  const [flow] = stored
  expect(flow).toMatchObject({ id, did: HOLDER.did, holderId: null, expiresAt: new Date('2026-03-01T12:10:00Z') })
  expect(flow?.content).not.toContain('an offering')
  expect(await contentOf({ id, content: flow?.content ?? '' })).toEqual(OFFERING)
  // The content is encrypted so that only its own flow can decrypt it.
  await expect(contentOf({ id: 'another flow', content: flow?.content ?? '' })).rejects.toThrow()
})

it.each([
  ['unknown', 'no flow', 'alice'],
  ["someone else's", 'a flow', 'bob'],
])('a flow that is %s is not open: 404', async (_, id, sub) => {
  const { add, open, end } = records()
  await add('claim', 'alice', HOLDER, OFFERING)
  await expect(open(id, sub)).rejects.toMatchObject({ status: 404 })
  await expect(end(id, sub, 'declined')).rejects.toMatchObject({ status: 404 })
})

it.each(['confirmed', 'declined'] as const)('a flow that is %s is no longer open: 409', async (state) => {
  const { add, open, end } = records(state, state)
  await add('claim', 'alice', HOLDER, OFFERING)
  await expect(open('a flow', 'alice')).rejects.toMatchObject({ status: 409, message: `Flow is already ${state}.` })
  await expect(end('a flow', 'alice', 'confirmed')).rejects.toMatchObject({ message: `Flow is already ${state}.` })
})

it('a flow that another decision ended and that was then reopened counts as confirmed: 409', async () => {
  const { add, end } = records('initialized')
  await add('claim', 'alice', HOLDER, OFFERING)
  await expect(end('a flow', 'alice', 'declined')).rejects.toMatchObject({ message: 'Flow is already confirmed.' })
})
