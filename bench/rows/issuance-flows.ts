import { createCaller } from '../measure/caller.js'
import { measureFlows } from '../measure/flows.js'
import { readEndpoints, takeOffered } from '../wallet/issuance.js'
import { newBenchWallet } from '../wallet/wallet.js'
import type { World } from '../world.js'
import { SUBJECT, TYPE } from './fixture.js'
import type { Row } from './row.js'

const AT_ONCE = [1, 8, 32] as const
const CPU_GOAL = { kind: 'cpu', atMostMs: 4 } as const

/** Rows of whole issuances, one after the other and several at once. */
export async function issuanceFlowRows({ service, credence }: World): Promise<Row[]> {
  const { id } = await credence.offerings.create.mutate({ credential_type: TYPE, credential_subject: SUBJECT })
  const wallets = Array.from({ length: 64 }, newBenchWallet)
  let flows = 0
  return AT_ONCE.map((atOnce) => ({
    name: `OpenID4VCI offer → token → nonce → credential, ${atOnce} at once`,
    goals: [CPU_GOAL],
    measure: async (seconds: number) => {
      const caller = createCaller(service.url, atOnce)
      const endpoints = await readEndpoints(caller, service.url)
      const flow = async () => {
        flows += 1
        const wallet = wallets[flows % wallets.length]
        if (wallet === undefined) throw new Error('There is no wallet.')
        await takeOffered(caller, endpoints, { offeringId: id, configuration: `${TYPE}-sd-jwt` }, wallet)
        return undefined
      }
      try {
        return await measureFlows(service, flow, atOnce, seconds)
      } finally {
        await caller.close()
      }
    },
  }))
}
