import { consolePath, serviceAddress } from './address.js'

/** A question to the service that is sent before the console has loaded. */
type Question = 'session' | 'setup'

const answers = new Map<Question, Promise<unknown>>()

/** Undefined without an answer or after a refusal: the console asks again as usual, and its screens show the error. */
async function answerOf(path: string): Promise<unknown> {
  try {
    const response = await fetch(serviceAddress(path), { headers: { 'x-console': '1', accept: 'application/json' } })
    return response.ok ? await response.json() : undefined
  } catch {
    return undefined
  }
}

/** Only an admin's session may ask for the setup. */
const isAdmin = (session: unknown): boolean =>
  (session as { readonly user?: { readonly isAdmin?: boolean } | null } | undefined)?.user?.isAdmin === true

const isOverview = () =>
  `${window.location.pathname}/`.startsWith(consolePath) && window.location.pathname.length <= consolePath.length

/**
 * Asks who uses the console and, for the overview, what is configured, while the rest of the console is on its way. It is
 * asked without the client, which is a part of that.
 */
export function askFirst(): void {
  const session = answerOf('/console/session')
  answers.set('session', session)
  if (!isOverview()) return
  answers.set(
    'setup',
    session.then((answer) => (isAdmin(answer) ? answerOf('/api/v1/setup?ask=false') : undefined)),
  )
}

/** Whether there is, or will be, an answer that was not taken. */
export const wasAsked = (question: Question): boolean => answers.has(question)

/** The answer to a question that was asked first; once, since it grows old. */
export function takeAnswer(question: Question): Promise<unknown> | undefined {
  const answer = answers.get(question)
  answers.delete(question)
  return answer
}
