import { type Html, html } from '../pages/html.js'
import { qrCodeImage } from '../pages/qr-code.js'
import type { Speech } from '../pages/speech.js'

/** The parts of a page whose request or offer is still open. */
export interface OpenPage {
  /** The page's own address. */
  readonly url: string
  /** The name of the verifier or issuer. */
  readonly from: string
  readonly heading: string | Html
  readonly text: string | null
  /** Why the verifier makes the request. */
  readonly purpose?: string | null
  /** The requested or offered credentials. */
  readonly what: Html
  /** The progress, as a sentence. */
  readonly status: string
  readonly timeLeft: Html | undefined
  /** Ways to continue: links, QR codes, buttons. */
  readonly ways: Html
  /** The final states of the session. Undefined if the page has no event stream. */
  readonly final?: readonly string[]
}

/** A link that reloads the page. It is needed if the browser does not run the script, or if the event stream fails. */
const again = (url: string, speech: Speech): Html =>
  html`<p class="again" data-without-script><a href="${url}">${speech.say('open.reload')}</a></p>`

/**
 * Makes the body of a page whose request or offer is still open: name, content, progress, time left, and ways to
 * continue.
 */
export function openBody(
  { url, from, heading, text, purpose, what, status, timeLeft, ways, final }: OpenPage,
  speech: Speech,
): Html {
  const parts = html`<p class="status" role="status">${status}</p>${timeLeft}<div class="ways">${ways}</div>`
  return html`
<p class="from">${from}</p>
<h1>${heading}</h1>
${text !== null && html`<p class="about">${text}</p>`}
${purpose != null && html`<h2>${speech.say('present.purpose')}</h2><p class="about"><bdi>${purpose}</bdi></p>`}
${what}
${
  final === undefined
    ? parts
    : html`<div data-events="${url}/events" data-final="${final.join(' ')}">${parts}</div>
${again(url, speech)}`
}`
}

/** A link that opens a wallet on this device. */
export const walletLink = (address: string, speech: Speech): Html =>
  html`<section aria-labelledby="here"><h2 id="here">${speech.say('wallet.here')}</h2><p><a class="button" href="${address}">${speech.say('wallet.open')}</a></p><p class="hint">${speech.say('wallet.whatItIs')}</p></section>`

/** Maximum pixels of a QR code beside a column of text, and over the whole width. */
const [BESIDE_TEXT, WHOLE_WIDTH] = [288, 460]
/** The minimum width of a module in pixels. Scanners cannot read smaller modules from a screen. */
const LEAST_PIXELS = 3

/** A QR code, its alternative text, and an instruction. */
interface ScannedCode {
  readonly address: string
  readonly alt: string
  readonly text: string
}

/** A QR code with its instruction beside it. */
async function scannedCode({ address, alt, text }: ScannedCode, heading: Html | undefined): Promise<Html> {
  const { dataUri, modules } = await qrCodeImage(address)
  const dense = modules * LEAST_PIXELS > BESIDE_TEXT
  const width = modules * Math.max(2, Math.floor((dense ? WHOLE_WIDTH : BESIDE_TEXT) / modules))
  return html`<section class="scanned${dense && ' dense'}"><div>${heading}<p>${text}</p></div><img class="qr" src="${dataUri}" width="${width}" height="${width}" alt="${alt}"></section>`
}

/** The content of the QR codes that a second device scans. */
export interface Scanned {
  /** The address that opens a wallet. */
  readonly address: string
  /** The page's own address. */
  readonly url: string
  /** Whether the QR code of the page is shown first. A camera app that knows no wallet can open only this code. */
  readonly byCamera: boolean
  readonly what: 'offer' | 'request'
  /** An additional instruction for the person who scans. */
  readonly hint?: string
}

/** Makes both QR codes: one for any camera, and one for a wallet's scanner. The second code is shown on demand. */
export async function scannedCodes(
  { address, url, byCamera, what, hint = '' }: Scanned,
  speech: Speech,
): Promise<Html> {
  const ofPage = {
    address: url,
    alt: speech.say('code.ofPage'),
    text: `${speech.say('code.scanPage')} ${hint}`,
  }
  const ofWallet = {
    address,
    alt: speech.say(what === 'offer' ? 'code.ofOffer' : 'code.ofRequest'),
    text: `${speech.say('code.scanInWallet')} ${hint}`,
  }
  const heading = html`<h2>${speech.say('code.elsewhere')}</h2>`
  const [first, second] = byCamera ? [ofPage, ofWallet] : [ofWallet, ofPage]
  const summary = speech.say(byCamera ? 'code.withWallet' : 'code.notFound')
  return html`${await scannedCode(first, heading)}<details><summary>${summary}</summary>${await scannedCode(second, undefined)}</details>`
}
