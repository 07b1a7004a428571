import type { Config } from '../config/config.js'
import type { Components } from '../health/readiness.js'
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

/** A sentence that says whether requests are served. Only operators learn which component is down. */
function stateOf(components: Components): Html {
  const isDown = Object.values(components).some(({ status }) => status === 'down')
  return isDown
    ? html`<p class="state down" role="status">Requests cannot be served at the moment</p>`
    : html`<p class="state" role="status">Running</p>`
}

function linksOf({ config: { issuerBaseUrl: base, console }, forStrangers }: HomePagePorts): Link[] {
  const metadata = {
    address: `${base}/.well-known/openid-credential-issuer`,
    name: 'Issuer metadata',
    text: 'The credentials that this issuer offers, for wallets.',
  }
  if (forStrangers) return [metadata]
  return [
    ...(console === undefined
      ? []
      : [{ address: `${base}/console/`, name: 'Console', text: 'Issue, verify and look after credentials.' }]),
    { address: `${base}/api-docs`, name: 'API reference', text: 'Every operation, to read and to try.' },
    metadata,
    { address: `${base}/health/readiness`, name: 'Health', text: 'The same as above, for machines.' },
  ]
}

/** The ports of {@link createHomePage}. */
export interface HomePagePorts {
  readonly config: Pick<Config, 'issuerBaseUrl' | 'console'>
  readonly readiness: (requestId: string) => Promise<Components>
  /** True on the public listener. It serves neither console nor API reference, so the page has no links to them. */
  readonly forStrangers: boolean
  readonly version: string
}

export type HomePage = ReturnType<typeof createHomePage>

/** The page for browsers at the address of the service: its description, its state and links. */
export const createHomePage =
  (ports: HomePagePorts) =>
  async (requestId: string): Promise<ProtocolReply> =>
    page(ports.config.issuerBaseUrl, {
      title: 'Credence',
      headers: { vary: 'Accept' },
      body: html`
<h1>Credence</h1>
<p class="about">Issues, holds and verifies digital credentials.</p>
<div class="states">${stateOf(await ports.readiness(requestId))}<p class="hint">Version ${ports.version}</p></div>
<nav aria-label="What is here"><ul>${linksOf(ports).map(linkItem)}</ul></nav>`,
    })
