import type { Config } from '../../config/config.js'
import type { offeringFullUrl } from '../../issuer/offerings/offering-json.js'
import { closedReason } from '../../issuer/openid4vci/offer.js'
import type { OfferLink } from '../../issuer/openid4vci/sealed.js'
import { EXPIRED } from '../../issuer/openid4vci/sessions/session.js'
import type { TxCodeDescription } from '../../issuer/openid4vci/tx-code.js'
import { claimTitles, declaredClaims, pathKey } from '../../issuer/schemas/claims.js'
import { receivePageUrl } from '../../pages/addresses.js'
import { brandOf, nameOf } from '../../pages/brand.js'
import { whomToAsk } from '../../pages/contact.js'
import { cardStyle, credentialCard } from '../../pages/credential-card.js'
import { type Html, html, spoken } from '../../pages/html.js'
import { inLanguage, type Languages, type Spoken, spokenIn } from '../../pages/languages.js'
import { page } from '../../pages/page.js'
import type { Speech } from '../../pages/speech.js'
import { inWords, typeTitle } from '../../pages/words.js'
import { type CardLook, cardLook } from '../../protocol/credential-card/look.js'
import type { ProtocolReply } from '../../protocol/oauth/reply.js'
import { imageUri } from '../../protocol/stored-image.js'
import type { Beginner } from '../browser.js'
import { contactOf } from '../contact.js'
import { openBody, scannedCodes, walletLink } from '../frame.js'
import { keptOfCredential } from '../kept.js'
import type { ReceivePage } from '../store.js'
import { timeLeft } from '../time-left.js'
import { walletsToInstall } from '../wallets.js'
import { closedText, DONE_STATES, progressOf } from './sentences.js'

const credentialNameOf = ({ schemaDisplay, schemaTitle, schemaName }: ReceivePage, languages: Languages): Spoken =>
  typeTitle({ name: schemaName, title: schemaTitle, display: schemaDisplay }, languages)

/** The title of the page in a browser tab. */
const titleOf = (stored: ReceivePage, speech: Speech): string =>
  stored.pageTitle ?? speech.say('receive.heading', { credential: credentialNameOf(stored, speech.languages).text })

const headingOf = (stored: ReceivePage, speech: Speech): Html =>
  stored.pageTitle === null
    ? speech.show('receive.heading', { credential: spoken(credentialNameOf(stored, speech.languages)) })
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
function txCodeHint({ input_mode, length, description }: TxCodeDescription, speech: Speech): Html {
  const key = input_mode === 'numeric' ? 'receive.codeOfDigits' : 'receive.codeOfCharacters'
  const more = description !== undefined && html` ${description}`
  return html`<p>${speech.say(key, { count: length })}${more}</p>`
}

const lookOf = ({ schemaDisplay }: ReceivePage, { languages }: Speech, baseUrl: string): CardLook =>
  cardLook(inLanguage(schemaDisplay ?? [], languages), (path) => imageUri(path, baseUrl))

function whatIsOffered(stored: ReceivePage, issuer: string, look: CardLook, speech: Speech): Html {
  const { languages } = speech
  const { description, locale } = inLanguage(stored.schemaDisplay ?? [], languages) ?? {}
  const { session } = stored
  const card = credentialCard(
    {
      name: credentialNameOf(stored, languages),
      issuer,
      look,
      text: description === undefined ? undefined : spokenIn(description, locale),
      listed: speech.say('receive.contains'),
      claims: topTitles(stored, languages),
    },
    speech,
  )
  return html`<h2>${speech.say('receive.offered')}</h2>${card}${session !== null && session.txCode !== null && txCodeHint(session.txCode, speech)}${
    stored.deferred && html`<p>${speech.say('receive.decidedLater')}</p>`
  }`
}

/** The browser that opens a page. */
interface Reader {
  readonly beginner: Beginner
  readonly speech: Speech
  /** Headers with the cookie by which the service recognizes the browser later. */
  readonly headers: Readonly<Record<string, string>>
}

/** Dependencies of {@link createReceivePage}. */
export interface ReceivePagePorts {
  readonly config: Pick<Config, 'issuerBaseUrl' | 'retentionClaimsDays' | 'walletLinks' | 'serviceContact'>
  /** The address that opens a wallet. */
  readonly offerUrl: (link: OfferLink, offer: Omit<Parameters<typeof offeringFullUrl>[1], 'id'>) => string
}

/** Makes the page of an offer: the open page, or one sentence after the offer has ended. */
export type ReceivePageOf = (id: string, stored: ReceivePage, reader: Reader, now: Date) => Promise<ProtocolReply>

export function createReceivePage({ config, offerUrl }: ReceivePagePorts): ReceivePageOf {
  const issuerOf = ({ issuer }: ReceivePage, speech: Speech) => nameOf(issuer, config.issuerBaseUrl, speech)

  const brandWith = ({ issuer }: ReceivePage, speech: Speech) => brandOf(issuer, config.issuerBaseUrl, speech)

  /** The link and the QR codes of an offer. */
  const walletWays = async (
    url: string,
    { offeringId, profile, walletUrl, inQrCode, session }: ReceivePage,
    speech: Speech,
  ): Promise<Html> => {
    const address = offerUrl(
      { offeringId, linkNumber: session?.linkNumber ?? 0 },
      { profile, walletUrl: walletUrl ?? undefined },
    )
    const codes = await scannedCodes({ address, url, byCamera: inQrCode, what: 'offer' }, speech)
    return html`${walletLink(address, speech)}${codes}${walletsToInstall(config.walletLinks, config.issuerBaseUrl, speech)}`
  }

  /** @param canBeTaken whether wallets can still take the offer; otherwise a wallet waits for the issuer */
  const openPage = async (
    id: string,
    stored: ReceivePage,
    { beginner, speech, headers }: Reader,
    now: Date,
    canBeTaken: boolean,
  ): Promise<ProtocolReply> => {
    const { session, expiresAt } = stored
    const from = issuerOf(stored, speech)
    const url = receivePageUrl(config, id)
    const look = lookOf(stored, speech, config.issuerBaseUrl)
    return page(config.issuerBaseUrl, {
      title: `${titleOf(stored, speech)} · ${from}`,
      live: session !== null,
      headers,
      speech,
      brand: brandWith(stored, speech),
      style: cardStyle([look]),
      body: openBody(
        {
          url,
          from,
          heading: headingOf(stored, speech),
          text: stored.pageText,
          // The claims of an offering belong to nobody, and stay until the offering closes.
          what: html`${whatIsOffered(stored, from, look, speech)}${session !== null && keptOfCredential(stored, config, speech)}`,
          status: session === null ? speech.say('receive.take') : progressOf(session, beginner, speech).message,
          timeLeft: canBeTaken ? timeLeft(expiresAt, now, speech) : undefined,
          ways: canBeTaken ? await walletWays(url, stored, speech) : html``,
          ...(session === null ? {} : { final: DONE_STATES }),
        },
        speech,
      ),
    })
  }

  /** The page of an ended offer, with one sentence. */
  const closedPage = (stored: ReceivePage, status: number, message: string, speech: Speech): ProtocolReply => {
    const heading = headingOf(stored, speech)
    return page(config.issuerBaseUrl, {
      status,
      speech,
      brand: brandWith(stored, speech),
      title: titleOf(stored, speech),
      body: html`<p class="from">${issuerOf(stored, speech)}</p><h1>${heading}</h1><p class="status" role="status">${message}</p>${status === 410 && whomToAsk(contactOf(config, stored.issuer), speech)}`,
    })
  }

  return async (id, stored, reader, now) => {
    const { session } = stored
    const { beginner, speech } = reader
    const isOwn = beginner === 'this'
    if (session !== null && DONE_STATES.includes(session.state)) {
      const status = isOwn && session.errorMessage !== EXPIRED ? 200 : 410
      return closedPage(stored, status, progressOf(session, beginner, speech).message, speech)
    }
    const closed = closedReason(stored, now)
    const canBeTaken = closed === undefined && session?.deferred !== 'pending'
    // A wallet that waits for the issuer has already used the offer. Without its claims the waiting has ended.
    const waits = session !== null && session.deferred !== null && !stored.claimsErased
    if (closed === undefined || waits) return openPage(id, stored, reader, now, canBeTaken)
    return closedPage(stored, 410, closedText(closed, session === null || isOwn, speech), speech)
  }
}
