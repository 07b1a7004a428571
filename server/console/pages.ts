import type { SignInFailure } from '../auth/sign-in.js'
import type { Config } from '../config/config.js'
import { html } from '../pages/html.js'
import { page } from '../pages/page.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'

/** The reason why a login failed. */
type LoginProblem = SignInFailure | 'unknown' | 'insecure' | 'noRole' | 'opaque' | 'notAccepted'

const PROBLEMS: Readonly<Record<LoginProblem, readonly [status: number, title: string, text: string]>> = {
  refused: [403, 'You are not logged in', 'The login was refused or cancelled.'],
  failed: [400, 'You are not logged in', 'The identity provider’s answer could not be used.'],
  unavailable: [
    503,
    'You are not logged in',
    'The identity provider cannot be used at the moment. Try again in a while.',
  ],
  unknown: [
    400,
    'This login cannot be used',
    'It was begun in another browser or window, was used before, or took more than ten minutes.',
  ],
  insecure: [
    403,
    'No login here',
    'Over plain http, login is possible only on the machine of the service. Open the console over https.',
  ],
  noRole: [
    403,
    'You have no role here',
    'You are known to the identity provider, but have no role that opens this console.',
  ],
  opaque: [
    403,
    'You are not logged in',
    'The identity provider’s access token is not a JWT, so the service cannot read your rights. Set up the provider to issue JWTs for this service.',
  ],
  notAccepted: [
    403,
    'You are not logged in',
    'The identity provider’s access token is not accepted here: it is for another service, or another party signed it.',
  ],
}

/** The page that explains a failed login and how to try again. */
export function loginPage({ issuerBaseUrl }: Pick<Config, 'issuerBaseUrl'>, problem: LoginProblem): ProtocolReply {
  const [status, title, text] = PROBLEMS[problem]
  const again = problem !== 'insecure' && html`<p><a href="${issuerBaseUrl}/console/login">Log in again</a></p>`
  return page(issuerBaseUrl, { status, title, body: html`<h1>${title}</h1><p>${text}</p>${again}` })
}
