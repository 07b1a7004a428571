import { type Caller, createCaller } from '../measure/caller.js'
import { measureFlows } from '../measure/flows.js'
import { type BenchWallet, newBenchWallet } from '../wallet/wallet.js'
import type { World } from '../world.js'
import { SUBJECT, TYPE } from './fixture.js'
import type { Row } from './row.js'

const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'
const AT_ONCE = [1, 8, 32] as const
const CPU_GOAL = { kind: 'cpu', atMostMs: 4 } as const

interface Offer {
  readonly grants: Readonly<Record<string, { readonly 'pre-authorized_code': string }>>
}

/** Offer, token, nonce, credential: OpenID4VCI 1.0 with a pre-authorized code, as a wallet goes through it. */
async function takeCredential(caller: Caller, issuer: string, offeringId: string, wallet: BenchWallet): Promise<void> {
  const { grants } = (await caller.json(`/openid4vci/offers/${offeringId}`)) as unknown as Offer
  const code = grants[PRE_AUTHORIZED]?.['pre-authorized_code'] ?? ''
  const form = { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code }
  const { access_token: token } = await caller.json('/openid4vci/token', { form })
  const { c_nonce: nonce } = await caller.json('/openid4vci/nonce', { method: 'POST' })
  const proof = wallet.sign(
    { typ: 'openid4vci-proof+jwt', kid: wallet.kid },
    { aud: issuer, iat: Math.floor(Date.now() / 1000), nonce },
  )
  await caller.json('/openid4vci/credential', {
    headers: { authorization: `Bearer ${token}` },
    json: { credential_configuration_id: `${TYPE}-sd-jwt`, proofs: { jwt: [proof] } },
  })
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
      const flow = async () => {
        flows += 1
        const wallet = wallets[flows % wallets.length]
        if (wallet === undefined) throw new Error('There is no wallet.')
        await takeCredential(caller, service.url, id, wallet)
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
