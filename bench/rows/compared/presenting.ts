import { measureActors } from '../../measure/actors.js'
import type { Caller } from '../../measure/caller.js'
import type { Target } from '../../targets/target.js'
import { answerTo, type HeldCredential } from '../../wallet/answer.js'
import { VCT } from '../../wallet/foreign-issuers.js'
import type { Goal } from '../goal.js'
import type { Row } from '../row.js'
import { AT_ONCE } from './issuing.js'

/** One of the compared verifiers. All of them verify the same credentials with the same requests. */
export interface PresentingSide {
  readonly name: string
  readonly target: Target
  /** The path at which the verifier's backend makes a request. `result` returns the path of the presented claims. */
  readonly requests: string
  readonly result: (id: string) => string
  readonly headers?: Readonly<Record<string, string>>
  /** Goals of the side's row with eight flows at once. */
  readonly goals?: readonly Goal[]
}

export const presentingRow = (name: string, atOnce: number): string =>
  `presenting in full to ${name}, ${atOnce} at once`

const DCQL = {
  credentials: [{ id: 'club', format: 'dc+sd-jwt', meta: { vct_values: [VCT] }, claims: [{ path: ['level'] }] }],
}

/** Makes a request. @returns the path of the request object, and the id with which the result is read */
export async function makeRequest(
  caller: Caller,
  { requests, headers = {} }: Pick<PresentingSide, 'requests' | 'headers'>,
): Promise<{ readonly path: string; readonly id: string }> {
  const json = { dcqlQuery: DCQL, responseMode: 'direct_post.jwt' }
  const made = await caller.json(requests, { headers, json })
  return { path: new URL(String(made.request_uri)).pathname, id: String(made.verificationSessionId) }
}

/** Reads the presented claims. @throws if they do not contain the expected claim */
export async function readResult(
  caller: Caller,
  { result, headers = {} }: Pick<PresentingSide, 'result' | 'headers'>,
  id: string,
): Promise<void> {
  const text = await caller.text(result(id), { headers })
  if (!text.includes('"gold"')) throw new Error(`The presentation is said to be: ${text}`)
}

/**
 * Runs one presentation: makes the request, reads the request object, answers by direct_post.jwt, and reads the claims.
 */
export async function presented(caller: Caller, side: PresentingSide, held: HeldCredential): Promise<void> {
  const made = await makeRequest(caller, side)
  const { path, response } = answerTo(await caller.text(made.path), held)
  await caller.json(path, { form: { response } })
  await readResult(caller, side, made.id)
}

/** Rows of whole presentations, which are the same for every side. */
export function presentingRows(sides: readonly PresentingSide[], held: readonly HeldCredential[]): Row[] {
  return AT_ONCE.flatMap((atOnce) =>
    sides.map((side) => ({
      name: presentingRow(side.name, atOnce),
      goals: atOnce === 8 ? (side.goals ?? []) : [],
      measure: (seconds: number) =>
        measureActors(side.target, held, (caller, credential) => presented(caller, side, credential), atOnce, seconds),
    })),
  )
}
