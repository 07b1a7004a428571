import type { Context } from '../api/context.js'
import { readinessOf } from '../health/readiness.js'
import { type Html, html } from '../pages/html.js'
import { page } from '../pages/page.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'

interface Link {
  readonly address: string
  readonly name: string
  readonly text: string
}

const linkItem = ({ address, name, text }: Link): Html =>
  html`<li><a href="${address}"><strong>${name}</strong><span>${text}</span></a></li>`

/** Whether requests are served, in words; which part is away is for operators to know. */
async function stateOf({ deps, request }: Context): Promise<Html> {
  const components = await readinessOf(deps, request.requestId)
  const isDown = Object.values(components).some(({ status }) => status === 'down')
  return isDown
    ? html`<p class="state down" role="status">Requests cannot be served at the moment</p>`
    : html`<p class="state" role="status">Running</p>`
}

function linksOf({ config, forStrangers }: Context['deps']): Link[] {
  const base = config.issuerBaseUrl
  const metadata = {
    address: `${base}/.well-known/openid-credential-issuer`,
    name: 'Issuer metadata',
    text: 'What wallets learn about what is issued here.',
  }
  if (forStrangers) return [metadata]
  return [
    ...(config.console === undefined
      ? []
      : [{ address: `${base}/console/`, name: 'Console', text: 'Issue, verify and look after credentials.' }]),
    { address: `${base}/api-docs`, name: 'API reference', text: 'Every operation, to read and to try.' },
    metadata,
    { address: `${base}/health/readiness`, name: 'Health', text: 'The same as above, for machines.' },
  ]
}

/** What the service is and how it is, for whoever opens its address in a browser. */
export async function homePage(ctx: Context, { version }: { readonly version: string }): Promise<ProtocolReply> {
  return page(ctx.deps.config.issuerBaseUrl, {
    title: 'Credence',
    headers: { vary: 'Accept' },
    body: html`
<h1>Credence</h1>
<p class="about">Issues, holds and verifies digital credentials.</p>
<div class="states">${await stateOf(ctx)}<p class="hint">Version ${version}</p></div>
<nav aria-label="What is here"><ul>${linksOf(ctx.deps).map(linkItem)}</ul></nav>`,
  })
}
