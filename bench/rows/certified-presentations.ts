import { measureActors } from '../measure/actors.js'
import type { Caller } from '../measure/caller.js'
import { answerInBrowser, answerTo, type DigitalCredential, type HeldCredential } from '../wallet/answer.js'
import { foreignIssuers, VCT } from '../wallet/foreign-issuers.js'
import type { World } from '../world.js'
import type { Row } from './row.js'

const CPU_GOAL = { kind: 'cpu', atMostMs: 5 } as const
const MORE_THAN_BY_DID_MS = 0.5
const AT_ONCE = 8
const WALLETS = 16
const ORIGIN = 'https://shop.example'

const QUERY = {
  credentials: [{ id: 'club', format: 'dc+sd-jwt', meta: { vct_values: [VCT] }, claims: [{ path: ['level'] }] }],
}

type Flow = (caller: Caller, authorization: string, held: HeldCredential) => Promise<void>

const ask = (caller: Caller, authorization: string, members: Record<string, unknown>) =>
  caller.json('/authorization-requests', { headers: { authorization }, json: { dcqlQuery: QUERY, ...members } })

/** A request is made, fetched and answered by direct_post.jwt. */
const byReference =
  (clientIdPrefix: string): Flow =>
  async (caller, authorization, held) => {
    const made = await ask(caller, authorization, { clientIdPrefix, responseMode: 'direct_post.jwt' })
    const { path, response } = answerTo(await caller.text(new URL(String(made.request_uri)).pathname), held)
    await caller.json(path, { form: { response } })
  }

/** A request is made, and a page posts the answer of its browser. */
const byBrowser: Flow = async (caller, authorization, held) => {
  const made = await ask(caller, authorization, { responseMode: 'dc_api.jwt', expectedOrigins: [ORIGIN] })
  const credential = answerInBrowser(made.digitalCredentialRequest as DigitalCredential, held, ORIGIN)
  await caller.json(new URL(String(made.response_uri)).pathname, { headers: { origin: ORIGIN }, json: credential })
}

/**
 * Rows of presentations to a verifier with a certificate. They use a separate process and database. No caller watches
 * the sessions.
 */
export async function certifiedPresentationRows(world: World): Promise<Row[]> {
  const issuers = foreignIssuers()
  const { service } = await world.startInstallation(issuers.env).finally(issuers.remove)
  const held = (issue: () => HeldCredential) => Array.from({ length: WALLETS }, issue)
  const measure = (flow: Flow, credentials: readonly HeldCredential[]) => (seconds: number) =>
    measureActors(
      service,
      credentials,
      (caller, credential) => flow(caller, world.authorization, credential),
      AT_ONCE,
      seconds,
    )
  const byDid = `OpenID4VP by DIDs, direct_post.jwt, ${AT_ONCE} at once`
  return [
    {
      name: byDid,
      goals: [CPU_GOAL],
      measure: measure(byReference('decentralized_identifier'), held(issuers.named)),
    },
    {
      name: `OpenID4VP by certificates (x509_hash, x5c), direct_post.jwt, ${AT_ONCE} at once`,
      goals: [CPU_GOAL, { kind: 'cpuOver', of: byDid, atMostMs: MORE_THAN_BY_DID_MS }],
      measure: measure(byReference('x509_hash'), held(issuers.certified)),
    },
    {
      name: `OpenID4VP over the Digital Credentials API (x509_hash, x5c), dc_api.jwt, ${AT_ONCE} at once`,
      goals: [CPU_GOAL],
      measure: measure(byBrowser, held(issuers.certified)),
    },
  ]
}
