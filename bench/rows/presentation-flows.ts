import { measureActors } from '../measure/actors.js'
import type { Caller } from '../measure/caller.js'
import { openEventStream } from '../measure/event-stream.js'
import type { Target } from '../targets/target.js'
import { answerTo, type HeldCredential } from '../wallet/answer.js'
import { newBenchWallet } from '../wallet/wallet.js'
import type { World } from '../world.js'
import { SUBJECT, TYPE } from './fixture.js'
import type { Row } from './row.js'

const AT_ONCE = [1, 8, 32] as const
const CPU_GOAL = { kind: 'cpu', atMostMs: 5 } as const
const WALLETS = 16

/** The query of every session. */
export const QUERY = [
  {
    fields: [
      { path: ['$.type', '$.vc.type'], filter: { type: 'array', contains: { const: TYPE } } },
      { path: ['$.credentialSubject.productName'] },
    ],
  },
]

async function newHeldCredential({ credence }: World): Promise<HeldCredential> {
  const wallet = newBenchWallet()
  const { credential } = await credence.credentials.sign.mutate({
    type: TYPE,
    credential_subject: SUBJECT,
    format: 'dc+sd-jwt',
    holder: wallet.did,
  })
  const [jwt = '', ...disclosures] = credential.split('~').slice(0, -1)
  const shown = disclosures.filter((part) => Buffer.from(part, 'base64url').includes('"productName"'))
  return { wallet, sdJwt: [jwt, ...shown, ''].join('~') }
}

/**
 * Makes a request, watches its session, fetches the request object and answers it. Resolves when the watcher receives
 * the last event.
 *
 * @param watched the process at which the session is watched; by default the process that gets the wallet's answer
 * @returns milliseconds from the wallet's POST to the event
 */
async function present(
  world: World,
  caller: Caller,
  held: HeldCredential,
  watched: string = world.service.url,
): Promise<number> {
  const headers = { authorization: world.authorization }
  const made = await caller.json('/authorization-requests', { headers, json: { query: QUERY } })
  const events = openEventStream(watched, `/verification-sessions/${made.verificationSessionId}/events`, headers)
  try {
    await events.arrival('"RequestCreated"')
    const requestObject = await caller.text(new URL(String(made.request_uri)).pathname)
    const { path, response } = answerTo(requestObject, held)
    const posted = performance.now()
    const [arrived] = await Promise.all([
      events.arrival('"ResponseVerified"'),
      caller.json(path, { form: { response } }),
    ])
    return arrived - posted
  } finally {
    events.close()
  }
}

/** Rows of whole presentations, and rows of the time until their verifier receives the event. */
export async function presentationFlowRows(world: World): Promise<Row[]> {
  const held = await Promise.all(Array.from({ length: WALLETS }, () => newHeldCredential(world)))
  let other: Promise<Target> | undefined
  const measure =
    (atOnce: number, spanOf?: (ms: number) => number, elsewhere = false) =>
    async (seconds: number) => {
      if (elsewhere) other ??= world.startFresh('service')
      const watched = elsewhere ? (await other)?.url : undefined
      const flow = (caller: Caller, credential: HeldCredential) => present(world, caller, credential, watched)
      return measureActors(world.service, held, flow, atOnce, seconds, spanOf)
    }
  return [
    ...AT_ONCE.map((atOnce) => ({
      name: `OpenID4VP request → fetch → response → event, ${atOnce} at once`,
      goals: [CPU_GOAL],
      measure: measure(atOnce),
    })),
    { name: "OpenID4VP, from the wallet's POST to the event, 1 at once", measure: measure(1, (ms) => ms) },
    {
      name: "OpenID4VP, from the wallet's POST at one process to the event at another",
      measure: measure(1, (ms) => ms, true),
    },
  ]
}
