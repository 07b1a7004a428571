import { measureActors } from '../measure/actors.js'
import { type Caller, createCaller } from '../measure/caller.js'
import { type HaipWallet, haipSetup } from '../wallet/haip-wallet.js'
import { credentialOf } from '../wallet/issuance.js'
import type { World } from '../world.js'
import { SCHEMA, SUBJECT, TYPE } from './fixture.js'
import type { Row } from './row.js'

const CPU_GOAL = { kind: 'cpu', atMostMs: 9 } as const
const AT_ONCE = 8
const CONFIGURATION = `${TYPE}-sd-jwt`
const PAR = '/openid4vci/par'
const TOKEN = '/openid4vci/token'
const CREDENTIAL = '/openid4vci/credential'

/** Sends a browser's request. Returns the address of the redirect. */
async function sentTo(caller: Caller, path: string, call: Parameters<Caller['redirect']>[1] = {}) {
  const { location, cookie } = await caller.redirect(path, call)
  return { url: new URL(location), cookie }
}

interface Flow {
  readonly caller: Caller
  readonly issuer: string
  readonly wallet: HaipWallet
  readonly issuerState: string
  readonly challenge: string
}

/** Does the user's steps, without a sign-in: opens the page and accepts. */
async function agreed(caller: Caller, requestUri: string, clientId: string): Promise<string> {
  const query = new URLSearchParams({ client_id: clientId, request_uri: requestUri })
  const { url, cookie } = await sentTo(caller, `/openid4vci/authorize?${query}`)
  const page = await caller.text(url.pathname, { headers: { cookie } })
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const answer = await sentTo(caller, url.pathname, { headers: { cookie }, form: { token, decision: 'accept' } })
  return answer.url.searchParams.get('code') ?? ''
}

/**
 * Takes a credential: PAR, authorize, page, decision, token, nonce, credential. The wallet sends DPoP and its
 * attestation in each request that accepts them.
 */
async function takeCredential({ caller, issuer, wallet, issuerState, challenge }: Flow): Promise<void> {
  const { form, verifier } = wallet.request(CONFIGURATION, issuerState)
  const pushed = await caller.json(PAR, { form, headers: wallet.authenticated(issuer, PAR, challenge) })
  const code = await agreed(caller, String(pushed.request_uri), form.client_id)
  const { access_token: token } = await caller.json(TOKEN, {
    form: { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: form.redirect_uri },
    headers: wallet.authenticated(issuer, TOKEN, challenge),
  })
  const { c_nonce: nonce } = await caller.json('/openid4vci/nonce', { method: 'POST' })
  const answer = await caller.json(CREDENTIAL, {
    headers: wallet.authorized(issuer, CREDENTIAL, String(token)),
    json: {
      credential_configuration_id: CONFIGURATION,
      proofs: { jwt: [wallet.proof(issuer, String(nonce))] },
    },
  })
  credentialOf(answer)
}

/** The challenge for all attestation proofs of one measurement. */
async function challengeOf(issuer: string): Promise<string> {
  const caller = createCaller(issuer, 1)
  const answer = caller.json('/openid4vci/challenge', { method: 'POST' })
  const { attestation_challenge: challenge } = await answer.finally(() => caller.close())
  return String(challenge)
}

/** The row of a whole issuance under HAIP 1.0, with a separate process and database. */
export async function haipFlowRow(world: World): Promise<Row> {
  const { env, newWallet, remove } = haipSetup()
  const { service, credence } = await world.startInstallation(env).finally(remove)
  await credence.schemas.create.mutate(SCHEMA)
  const offering = await credence.offerings.create.mutate({ credential_type: TYPE, credential_subject: SUBJECT })
  const issuerState = offering.grants?.authorization_code.issuer_state ?? ''
  const wallets = Array.from({ length: 64 }, newWallet)
  return {
    name: `HAIP PAR → authorize → decision → token → nonce → credential, ${AT_ONCE} at once`,
    goals: [CPU_GOAL],
    measure: async (seconds) => {
      const challenge = await challengeOf(service.url)
      const flow = (caller: Caller, wallet: HaipWallet) =>
        takeCredential({ caller, issuer: service.url, wallet, issuerState, challenge })
      return measureActors(service, wallets, flow, AT_ONCE, seconds)
    },
  }
}
