import { type Html, html } from '../pages/html.js'
import { qrCodeImage } from '../pages/qr-code.js'

/** The parts of a page whose request or offer is still open. */
export interface OpenPage {
  /** The page's own address. */
  readonly url: string
  /** The name of the verifier or issuer. */
  readonly from: string
  readonly heading: string | Html
  readonly text: string | null
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
const again = (url: string): Html =>
  html`<p class="again" data-without-script><a href="${url}">Reload this page to see the progress</a></p>`

/**
 * Makes the body of a page whose request or offer is still open: name, content, progress, time left, and ways to
 * continue.
 */
export function openBody({ url, from, heading, text, what, status, timeLeft, ways, final }: OpenPage): Html {
  const parts = html`<p class="status" role="status">${status}</p>${timeLeft}<div class="ways">${ways}</div>`
  return html`
<p class="from">${from}</p>
<h1>${heading}</h1>
${text !== null && html`<p class="about">${text}</p>`}
${what}
${
  final === undefined
    ? parts
    : html`<div data-events="${url}/events" data-final="${final.join(' ')}">${parts}</div>
${again(url)}`
}`
}

const WHAT_A_WALLET_IS =
  'A wallet is an app that stores your credentials. If nothing opens, this device has no suitable wallet.'

/** A link that opens a wallet on this device. */
export const walletLink = (address: string): Html =>
  html`<section aria-labelledby="here"><h2 id="here">On this device</h2><p><a class="button" href="${address}">Open my wallet</a></p><p class="hint">${WHAT_A_WALLET_IS}</p></section>`

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
  /** `offer` or `request`. */
  readonly what: string
  /** An additional instruction for the person who scans. */
  readonly hint?: string
}

/** Makes both QR codes: one for any camera, and one for a wallet's scanner. The second code is shown on demand. */
export async function scannedCodes({ address, url, byCamera, what, hint = '' }: Scanned): Promise<Html> {
  const ofPage = {
    address: url,
    alt: 'QR code that opens this page on another device',
    text: `Scan this code with the camera of the other device. It opens this page there. ${hint}`,
  }
  const ofWallet = {
    address,
    alt: `QR code that opens this ${what} in a wallet`,
    text: `Scan this code with the wallet, or with the camera of that device. ${hint}`,
  }
  const heading = html`<h2>With a wallet on another device</h2>`
  const [first, second] = byCamera ? [ofPage, ofWallet] : [ofWallet, ofPage]
  const summary = byCamera ? 'Scan with the wallet app' : 'Does the camera not find the code?'
  return html`${await scannedCode(first, heading)}<details><summary>${summary}</summary>${await scannedCode(second, undefined)}</details>`
}
