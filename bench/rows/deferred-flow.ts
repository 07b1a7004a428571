import { measureActors } from '../measure/actors.js'
import type { Caller } from '../measure/caller.js'
import { askForCredential, credentialOf, readEndpoints, readOffer, redeem } from '../wallet/issuance.js'
import { type BenchWallet, newBenchWallet } from '../wallet/wallet.js'
import type { World } from '../world.js'
import { SUBJECT, TYPE } from './fixture.js'
import type { Row } from './row.js'

const AT_ONCE = 8

/** The row of a deferred offer. The offer is approved while its wallet waits (OpenID4VCI 1.0 §9). */
export function deferredFlowRow({ service, authorization }: World): Row {
  const headers = { authorization }
  const wallets = Array.from({ length: 64 }, newBenchWallet)
  const json = { credentialConfigurationIds: [`${TYPE}-sd-jwt`], credentialSubject: SUBJECT, deferred: true }
  const flow = async (caller: Caller, wallet: BenchWallet) => {
    const { credentialOfferSessionId: id } = await caller.json('/credential-offers', { headers, json })
    const offer = await readOffer(caller, `/openid4vci/offers/${id}`)
    const endpoints = await readEndpoints(caller, service.url)
    const grant = await redeem(caller, offer, endpoints)
    const { transaction_id } = await askForCredential(caller, grant, endpoints, wallet)
    await caller.json(`/credential-offer-sessions/${id}/approve`, { headers, json: {} })
    const asked = { headers: { authorization: `Bearer ${grant.token}` }, json: { transaction_id } }
    credentialOf(await caller.json(endpoints.deferred, asked))
  }
  return {
    name: `OpenID4VCI deferred: offer made → transaction → approval → credential, ${AT_ONCE} at once`,
    measure: (seconds) => measureActors(service, wallets, flow, AT_ONCE, seconds),
  }
}
