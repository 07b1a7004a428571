import { inTurn, measureActors } from '../measure/actors.js'
import type { Caller } from '../measure/caller.js'
import { endpointsAt, takeOffered } from '../wallet/issuance.js'
import { newBenchWallet } from '../wallet/wallet.js'
import type { World } from '../world.js'
import { SUBJECT, TYPE } from './fixture.js'
import type { Goal } from './goal.js'
import type { Row } from './row.js'

const AT_ONCE = [1, 8, 32] as const
const CPU_GOAL: Goal = { kind: 'cpu', atMostMs: 4 }
/** Number of offerings. They are so many that two wallets rarely use the same offering at the same time. */
const MANY = 256

/**
 * A redemption limit that is never reached. Without a limit, redemptions would not be counted in the offering's row.
 */
const LIMIT = 2_147_483_647

const FLOW = 'OpenID4VCI offer → token → nonce → credential'
const manyRow = (atOnce: number) => `${FLOW}, of ${MANY} offerings, ${atOnce} at once`

/**
 * Rows of whole issuances: one after the other, several at once from one offering, and several at once from many
 * offerings.
 */
export async function issuanceFlowRows({ service, credence }: World): Promise<Row[]> {
  const made = { credential_type: TYPE, credential_subject: SUBJECT, redemption_limit: LIMIT }
  const offerings: string[] = []
  while (offerings.length < MANY) offerings.push((await credence.offerings.create.mutate(made)).id)
  const wallets = Array.from({ length: 64 }, newBenchWallet)
  const endpoints = await endpointsAt(service.url)
  const row = (name: string, atOnce: number, ids: readonly string[], goals: readonly Goal[]): Row => {
    const turns = Array.from({ length: MANY }, (_, turn) => ({
      wallet: inTurn(wallets, turn),
      offered: { offeringId: inTurn(ids, turn), configuration: `${TYPE}-sd-jwt` },
    }))
    const flow = (caller: Caller, { wallet, offered }: (typeof turns)[number]) =>
      takeOffered(caller, endpoints, offered, wallet)
    return { name, goals, measure: (seconds) => measureActors(service, turns, flow, atOnce, seconds) }
  }
  return AT_ONCE.flatMap((atOnce) => {
    const alone = row(`${FLOW}, ${atOnce} at once`, atOnce, offerings.slice(0, 1), [
      CPU_GOAL,
      ...(atOnce === 1 ? [] : [{ kind: 'rate', of: manyRow(atOnce), atLeast: 0.9 } as const]),
    ])
    return atOnce === 1 ? [alone] : [alone, row(manyRow(atOnce), atOnce, offerings, [])]
  })
}
