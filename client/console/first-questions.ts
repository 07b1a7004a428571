import { consolePath, serviceAddress } from './address.js'

/** A question to the service that is sent before the console has loaded. */
type Question = 'session' | 'setup'

const answers = new Map<Question, Promise<unknown>>()

/**
 * Returns the answer to a first question. Returns undefined if the service did not answer or refused: the console then
 * asks again, and its screens show the error.
 */
async function answerOf(path: string): Promise<unknown> {
  try {
    const response = await fetch(serviceAddress(path), { headers: { 'x-console': '1', accept: 'application/json' } })
    return response.ok ? await response.json() : undefined
  } catch {
    return undefined
  }
}

/** True if the user of the session may read the setup. The service answers in the form of its contract, and each member is checked. */
const maySeeSetup = (session: unknown): boolean =>
  (
    session as { readonly user?: { readonly operations?: readonly string[] } | null } | undefined
  )?.user?.operations?.includes('setup.read') === true

const isOverview = () =>
  `${window.location.pathname}/`.startsWith(consolePath) && window.location.pathname.length <= consolePath.length

/**
 * Reads the session and, for the overview, the setup, while the rest of the console loads. It uses `fetch`, because the
 * client is not loaded yet.
 */
export function askFirst(): void {
  const session = answerOf('/console/session')
  answers.set('session', session)
  if (!isOverview()) return
  answers.set(
    'setup',
    session.then((answer) => (maySeeSetup(answer) ? answerOf('/api/v1/setup?ask=false') : undefined)),
  )
}

/** Whether a first question was sent, and its answer has not been taken by a query yet. */
export const wasAsked = (question: Question): boolean => answers.has(question)

/** Takes the answer to a first question. An answer can be taken only once, because it becomes outdated. */
export function takeAnswer(question: Question): Promise<unknown> | undefined {
  const answer = answers.get(question)
  answers.delete(question)
  return answer
}
