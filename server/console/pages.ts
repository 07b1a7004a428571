import type { SignInFailure } from '../auth/sign-in.js'
import type { Config } from '../config/config.js'
import { type Html, html } from '../pages/html.js'
import { page } from '../pages/page.js'
import type { Asking } from '../pages/speech.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { loginTextsFor, type SpokenLoginTexts } from './texts.js'

type LoginTexts = SpokenLoginTexts['texts']

/** The reason why a login failed. */
type LoginProblem = SignInFailure | 'unknown' | 'insecure' | 'opaque' | 'notAccepted'

const PROBLEMS: Readonly<Record<LoginProblem, readonly [status: number, title: keyof LoginTexts]>> = {
  refused: [403, 'notLoggedIn'],
  failed: [400, 'notLoggedIn'],
  unavailable: [503, 'notLoggedIn'],
  unknown: [400, 'unusable'],
  insecure: [403, 'noLogin'],
  opaque: [403, 'notLoggedIn'],
  notAccepted: [403, 'notLoggedIn'],
}

type Base = Pick<Config, 'issuerBaseUrl'>

/** Links to log in again, with the same account or with another account. */
const again = ({ issuerBaseUrl }: Base, { again: same, otherAccount }: LoginTexts) =>
  html`<p><a href="${issuerBaseUrl}/console/login">${same}</a></p>
<p><a href="${issuerBaseUrl}/console/login?account=other">${otherAccount}</a></p>`

/** The page that explains a failed login and how to try again, in a language of the reader. */
export function loginPage(config: Base, request: Asking, problem: LoginProblem): ProtocolReply {
  const { lang, texts } = loginTextsFor(request, config.issuerBaseUrl)
  const [status, titleKey] = PROBLEMS[problem]
  const title = texts[titleKey]
  const body = html`<h1>${title}</h1><p>${texts[problem]}</p>${problem !== 'insecure' && again(config, texts)}`
  return page(config.issuerBaseUrl, { status, title, body, lang })
}

/** A role that opens the console, and what its users may do. */
interface OpeningRole {
  readonly role: string | undefined
  readonly may: string
}

/** A text with a part in place of its placeholder. */
function filled(text: string, placeholder: `{${string}}`, part: Html | string): Html {
  const [before, after = ''] = text.split(placeholder)
  return html`${before}${part}${after}`
}

/**
 * The page for a user without a role: which roles would open the console, and whom to ask for one.
 *
 * @param name the user's name at the provider
 */
export function noRolePage(
  config: Pick<Config, 'issuerBaseUrl' | 'adminRole' | 'issuerRole' | 'verifierRole' | 'signIn'>,
  request: Asking,
  name: string | undefined,
): ProtocolReply {
  const { lang, texts } = loginTextsFor(request, config.issuerBaseUrl)
  const roles: readonly OpeningRole[] = [
    { role: config.adminRole, may: texts.mayAll },
    { role: config.issuerRole, may: texts.mayIssue },
    { role: config.verifierRole, may: texts.mayVerify },
  ]
  const provider = config.signIn === undefined ? texts.provider : new URL(config.signIn.issuer).host
  const who = name === undefined ? html`${texts.signedIn}` : filled(texts.signedInAs, '{name}', html`<b>${name}</b>`)
  const body = html`<h1>${texts.noRole}</h1>
<p>${who} ${texts.oneRole}</p>
<ul>${roles.map(({ role, may }) => role !== undefined && html`<li><code>${role}</code> ${may}</li>`)}</ul>
<p>${filled(texts.askFor, '{provider}', provider)}</p>
${again(config, texts)}`
  return page(config.issuerBaseUrl, { status: 403, title: texts.noRole, body, lang })
}
