import { measureActors } from '../../measure/actors.js'
import type { Caller } from '../../measure/caller.js'
import type { Target } from '../../targets/target.js'
import { SUBJECT } from '../fixture.js'
import type { Goal } from '../goal.js'
import type { Row } from '../row.js'

const BODY = { json: { credentialSubject: SUBJECT } }

/**
 * The positions of the requests that have a body. Issuing: the new offer, the token request, the credential request.
 * Presenting: the new request, the wallet's answer.
 */
const WITH_BODY = { issuing: [0, 4, 6], presenting: [0, 2] }

/** Sends as many requests as the flow has. The server answers them without content. */
async function floorOf(caller: Caller, flow: keyof typeof WITH_BODY): Promise<void> {
  let steps = 1
  for (let step = 0; step < steps; step += 1) {
    const answer = await caller.json(`/${flow}/${step}`, WITH_BODY[flow].includes(step) ? BODY : {})
    steps = Number(answer.steps)
  }
}

/** The row for the minimal cost of a flow (`targets/floor.mjs`), judged by the goals of this flow. */
export const floorRow = (target: Target, flow: 'issuing' | 'presenting', goals: readonly Goal[]): Row => ({
  name: `the floor of ${flow} in full, 8 at once`,
  goals,
  measure: (seconds) => measureActors(target, [flow], floorOf, 8, seconds),
})
