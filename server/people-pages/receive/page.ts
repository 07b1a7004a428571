import type { Config } from '../../config/config.js'
import type { offeringFullUrl } from '../../issuer/offerings/offering-json.js'
import { closedReason } from '../../issuer/openid4vci/offer.js'
import type { OfferLink } from '../../issuer/openid4vci/sealed.js'
import { EXPIRED } from '../../issuer/openid4vci/sessions/session.js'
import type { TxCodeDescription } from '../../issuer/openid4vci/tx-code.js'
import { claimTitles, declaredClaims, pathKey } from '../../issuer/schemas/claims.js'
import { receivePageUrl } from '../../pages/addresses.js'
import { credentialCard } from '../../pages/credential-card.js'
import { type Html, html, spoken } from '../../pages/html.js'
import { inLanguage, type Languages, type Spoken, spokenIn } from '../../pages/languages.js'
import { page } from '../../pages/page.js'
import { inWords, typeTitle } from '../../pages/words.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import type { Beginner } from '../browser.js'
import { openBody, scannedCodes, walletLink } from '../frame.js'
import { nameOf, type ReceivePage } from '../store.js'
import { timeLeft } from '../time-left.js'
import { closedForOthers, DONE_STATES, progressOf } from './sentences.js'

const credentialNameOf = ({ schemaDisplay, schemaTitle, schemaName }: ReceivePage, languages: Languages): Spoken =>
  typeTitle({ name: schemaName, title: schemaTitle, display: schemaDisplay }, languages)

/** The title of the page in a browser tab. */
const titleOf = (stored: ReceivePage, languages: Languages): string =>
  stored.pageTitle ?? `${credentialNameOf(stored, languages).text} for your wallet`

const headingOf = (stored: ReceivePage, languages: Languages): Html =>
  stored.pageTitle === null
    ? html`${spoken(credentialNameOf(stored, languages))} for your wallet`
    : html`${stored.pageTitle}`

/** Titles of the top-level claims. `id` is left out, because it names the subject. */
function topTitles(
  { schemaBody: body, schemaDisplay: display, schemaClaims: claims }: ReceivePage,
  languages: Languages,
) {
  const titles = claimTitles({ body, display, claims }, languages)
  return declaredClaims(body)
    .filter((name) => name !== 'id')
    .map((name) => titles.get(pathKey([name])) ?? { text: inWords(name) })
}

/** The hint that the wallet will ask for a transaction code. The page never shows the code. */
function txCodeHint({ input_mode, length, description }: TxCodeDescription): Html {
  const signs = input_mode === 'numeric' ? 'digits' : 'characters'
  const more = description !== undefined && html` ${description}`
  return html`<p>Your wallet will ask you for a code of ${length} ${signs}. You get the code separately.${more}</p>`
}

function whatIsOffered(stored: ReceivePage, languages: Languages): Html {
  const { description, locale } = inLanguage(stored.schemaDisplay ?? [], languages) ?? {}
  const { session } = stored
  const card = credentialCard({
    name: credentialNameOf(stored, languages),
    text: description === undefined ? undefined : spokenIn(description, locale),
    background: stored.schemaDisplay?.[0]?.background_color,
    listed: 'It contains',
    claims: topTitles(stored, languages),
  })
  return html`<h2>Offered credential</h2>${card}${session !== null && session.txCode !== null && txCodeHint(session.txCode)}${
    stored.deferred &&
    html`<p>The issuer decides later whether you get the credential. Your wallet asks again automatically.</p>`
  }`
}

/** The browser that opens a page. */
interface Reader {
  readonly beginner: Beginner
  readonly languages: Languages
  /** Headers with the cookie by which the service recognizes the browser later. */
  readonly headers: Readonly<Record<string, string>>
}

/** Dependencies of {@link createReceivePage}. */
export interface ReceivePagePorts {
  readonly config: Pick<Config, 'issuerBaseUrl'>
  /** The address that opens a wallet. */
  readonly offerUrl: (link: OfferLink, offer: Omit<Parameters<typeof offeringFullUrl>[1], 'id'>) => string
}

/** Makes the page of an offer: the open page, or one sentence after the offer has ended. */
export type ReceivePageOf = (id: string, stored: ReceivePage, reader: Reader, now: Date) => Promise<ProtocolReply>

export function createReceivePage({ config, offerUrl }: ReceivePagePorts): ReceivePageOf {
  const issuerOf = ({ issuerDisplay }: ReceivePage) => nameOf(issuerDisplay, config.issuerBaseUrl)

  /** The link and the QR codes of an offer. */
  const walletWays = async (
    url: string,
    { offeringId, profile, walletUrl, inQrCode, session }: ReceivePage,
  ): Promise<Html> => {
    const address = offerUrl(
      { offeringId, linkNumber: session?.linkNumber ?? 0 },
      { profile, walletUrl: walletUrl ?? undefined },
    )
    const codes = await scannedCodes({ address, url, byCamera: inQrCode, what: 'offer' })
    return html`${walletLink(address)}${codes}`
  }

  /** @param canBeTaken whether wallets can still take the offer; otherwise a wallet waits for the issuer */
  const openPage = async (
    id: string,
    stored: ReceivePage,
    { beginner, languages, headers }: Reader,
    now: Date,
    canBeTaken: boolean,
  ): Promise<ProtocolReply> => {
    const { session, expiresAt } = stored
    const from = issuerOf(stored)
    const url = receivePageUrl(config, id)
    return page(config.issuerBaseUrl, {
      title: `${titleOf(stored, languages)} · ${from}`,
      live: session !== null,
      headers,
      body: openBody({
        url,
        from,
        heading: headingOf(stored, languages),
        text: stored.pageText,
        what: whatIsOffered(stored, languages),
        status: session === null ? 'Take it with your wallet.' : progressOf(session, beginner).message,
        timeLeft: canBeTaken ? timeLeft(expiresAt, now) : undefined,
        ways: canBeTaken ? await walletWays(url, stored) : html``,
        ...(session === null ? {} : { final: DONE_STATES }),
      }),
    })
  }

  /** The page of an ended offer, with one sentence. */
  const closedPage = (stored: ReceivePage, status: number, message: string, languages: Languages): ProtocolReply => {
    const heading = headingOf(stored, languages)
    return page(config.issuerBaseUrl, {
      status,
      title: titleOf(stored, languages),
      body: html`<p class="from">${issuerOf(stored)}</p><h1>${heading}</h1><p class="status" role="status">${message}</p>`,
    })
  }

  return async (id, stored, reader, now) => {
    const { session } = stored
    const { beginner, languages } = reader
    const isOwn = beginner === 'this'
    if (session !== null && DONE_STATES.includes(session.state)) {
      const status = isOwn && session.errorMessage !== EXPIRED ? 200 : 410
      return closedPage(stored, status, progressOf(session, beginner).message, languages)
    }
    const closed = closedReason(stored, now)
    const canBeTaken = closed === undefined && session?.deferred !== 'pending'
    // A wallet that waits for the issuer has already used the offer. Without its claims the waiting has ended.
    const waits = session !== null && session.deferred !== null && !stored.claimsErased
    if (closed === undefined || waits) return openPage(id, stored, reader, now, canBeTaken)
    const reason = session === null || isOwn ? closed : closedForOthers(closed)
    return closedPage(stored, 410, reason, languages)
  }
}
