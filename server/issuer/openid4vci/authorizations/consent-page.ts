import type { Config } from '../../../config.js'
import { type Html, html } from '../../../pages/html.js'
import { page } from '../../../pages/page.js'
import type { ProtocolReply } from '../../../protocol/oauth/reply.js'
import { describeClaims } from '../../schemas/claims.js'
import type { SchemaDisplay } from '../../schemas/store.js'
import type { UsersAuthorization } from './authorization.js'
import { isLocalAdmin } from './sign-in.js'

/** What the page shows of an offer. */
export interface ConsentContext {
  readonly schemaName: string
  readonly schemaTitle: string | null
  readonly schemaDisplay: readonly SchemaDisplay[] | null
  readonly schemaBody: Readonly<Record<string, unknown>>
  readonly issuerDisplay: readonly { readonly name: string }[] | null
  readonly credentialSubject: Readonly<Record<string, unknown>>
  /** Whether the issuer decides later what the credential holds. */
  readonly deferred: boolean
}

const MAX_ROWS = 1_000

interface Row {
  readonly title: string
  readonly value: string
}

/** Every claim of the subject, in its order: the titles of its path, and its value as text. */
function rowsOf({ credentialSubject, schemaBody }: ConsentContext): Row[] {
  const titles = new Map(describeClaims(schemaBody).map(({ path, title }) => [path.join('\0'), title]))
  const rows: Row[] = []
  const walk = (value: unknown, path: readonly string[], shown: readonly string[]): void => {
    if (rows.length >= MAX_ROWS) return
    if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        const inner = [...path, name]
        walk(member, inner, [
          ...shown,
          Array.isArray(value) ? String(Number(name) + 1) : (titles.get(inner.join('\0')) ?? name),
        ])
      }
      return
    }
    rows.push({ title: shown.join(' › '), value: String(value) })
  }
  walk(credentialSubject, [], [])
  return rows
}

/**
 * The CSP source for `form-action`, which browsers also apply to the redirect after the form: an origin, or a scheme for an
 * app's address and for an IPv6 host, which CSP has no source for (CSP Level 3 §2.3.1).
 */
function formActionOf(redirectUri: string): string {
  const { protocol, hostname, origin } = new URL(redirectUri)
  const isOrigin = (protocol === 'https:' || protocol === 'http:') && !hostname.startsWith('[')
  return isOrigin ? origin : protocol
}

const receiverOf = (redirectUri: string): string => {
  const { host, protocol } = new URL(redirectUri)
  return host === '' ? protocol.slice(0, -1) : host
}

const claimRow = ({ title, value }: Row): Html => html`<div><dt>${title}</dt><dd>${value}</dd></div>`

/** The page on which a person decides whether a wallet gets a credential: no script, two buttons. */
export function consentPage(
  config: Config,
  { id, request, provided, walletName }: UsersAuthorization,
  context: ConsentContext,
  token: string,
): ProtocolReply {
  const credential = context.schemaDisplay?.[0]?.name ?? context.schemaTitle ?? context.schemaName
  const issuer = context.issuerDisplay?.[0]?.name ?? new URL(config.issuerBaseUrl).host
  const receiver = receiverOf(request.redirectUri)
  return page(config, {
    title: `${credential}: take it into your wallet?`,
    formAction: formActionOf(request.redirectUri),
    body: html`
${isLocalAdmin(config) && html`<p class="banner" role="note">Login is switched off: this is a local installation, and everybody is its administrator.</p>`}
<p class="from">${issuer}</p>
<h1>${credential}</h1>
<p>${walletName === undefined ? 'Your wallet' : html`<strong>${walletName}</strong>`} at <strong>${receiver}</strong> asks for this credential${provided.name !== undefined && html` of <strong>${provided.name}</strong>`}. It would hold:</p>
<dl>${rowsOf(context).map(claimRow)}</dl>
${context.deferred && html`<p>The issuer decides later whether you get it, and may correct what it holds.</p>`}
<form method="post" action="${config.issuerBaseUrl}/openid4vci/authorize/${id}">
<input type="hidden" name="token" value="${token}">
<button name="decision" value="accept" class="primary">Put it into my wallet</button>
<button name="decision" value="decline">Decline</button>
</form>`,
  })
}
