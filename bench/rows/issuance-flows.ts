import { type Caller, createCaller } from '../measure/caller.js'
import { measureFlows } from '../measure/flows.js'
import { askForCredential, credentialOf, type Endpoints, readEndpoints, readOffer, redeem } from '../wallet/issuance.js'
import { type BenchWallet, newBenchWallet } from '../wallet/wallet.js'
import type { World } from '../world.js'
import { SUBJECT, TYPE } from './fixture.js'
import type { Row } from './row.js'

const AT_ONCE = [1, 8, 32] as const
const CPU_GOAL = { kind: 'cpu', atMostMs: 4 } as const

/** Offer, token, nonce, credential: OpenID4VCI 1.0 with a pre-authorized code, as a wallet goes through it that knows the issuer. */
async function takeCredential(caller: Caller, endpoints: Endpoints, offeringId: string, wallet: BenchWallet) {
  const offer = await readOffer(caller, `/openid4vci/offers/${offeringId}`)
  const grant = { ...(await redeem(caller, offer, endpoints)), configurations: [`${TYPE}-sd-jwt`] }
  credentialOf(await askForCredential(caller, grant, endpoints, wallet))
}

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
        await takeCredential(caller, endpoints, id, wallet)
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
