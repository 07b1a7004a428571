import { createCaller } from '../measure/caller.js'
import { measureFlows } from '../measure/flows.js'
import { readEndpoints, takeOffered } from '../wallet/issuance.js'
import { newBenchWallet } from '../wallet/wallet.js'
import type { World } from '../world.js'
import { SUBJECT, TYPE } from './fixture.js'
import type { Goal } from './goal.js'
import type { Row } from './row.js'

const AT_ONCE = [1, 8, 32] as const
const CPU_GOAL: Goal = { kind: 'cpu', atMostMs: 4 }
/** Enough that hardly two wallets meet at one. */
const MANY = 256

const FLOW = 'OpenID4VCI offer → token → nonce → credential'
const manyRow = (atOnce: number) => `${FLOW}, of ${MANY} offerings, ${atOnce} at once`

/** Rows of whole issuances, one after the other and several at once: all of one offering, and of many, which have no row in common. */
export async function issuanceFlowRows({ service, credence }: World): Promise<Row[]> {
  const made = { credential_type: TYPE, credential_subject: SUBJECT }
  const offerings: string[] = []
  while (offerings.length < MANY) offerings.push((await credence.offerings.create.mutate(made)).id)
  const wallets = Array.from({ length: 64 }, newBenchWallet)
  let flows = 0
  const row = (name: string, atOnce: number, ids: readonly string[], goals: readonly Goal[]): Row => ({
    name,
    goals,
    measure: async (seconds) => {
      const caller = createCaller(service.url, atOnce)
      const endpoints = await readEndpoints(caller, service.url)
      const flow = async () => {
        flows += 1
        const wallet = wallets[flows % wallets.length]
        const offeringId = ids[flows % ids.length]
        if (wallet === undefined || offeringId === undefined) throw new Error('There is no wallet or no offering.')
        await takeOffered(caller, endpoints, { offeringId, configuration: `${TYPE}-sd-jwt` }, wallet)
        return undefined
      }
      try {
        return await measureFlows(service, flow, atOnce, seconds)
      } finally {
        await caller.close()
      }
    },
  })
  return AT_ONCE.flatMap((atOnce) => {
    const alone = row(`${FLOW}, ${atOnce} at once`, atOnce, offerings.slice(0, 1), [
      CPU_GOAL,
      ...(atOnce === 1 ? [] : [{ kind: 'rate', of: manyRow(atOnce), atLeast: 0.9 } as const]),
    ])
    return atOnce === 1 ? [alone] : [alone, row(manyRow(atOnce), atOnce, offerings, [])]
  })
}
