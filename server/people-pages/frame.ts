import { type Html, html } from '../pages/html.js'
import { qrCodeImage } from '../pages/qr-code.js'

/** The parts of a page that is open. */
export interface OpenPage {
  /** The page's own address. */
  readonly url: string
  /** Who asks or offers. */
  readonly from: string
  readonly heading: string | Html
  readonly text: string | null
  /** What is asked for, or offered. */
  readonly what: Html
  /** How it goes, as a sentence. */
  readonly status: string
  readonly timeLeft: Html | undefined
  /** How a person goes on: links, QR codes, buttons. */
  readonly ways: Html
  /** States after which nothing follows; undefined where the page has no events. */
  readonly final?: readonly string[]
}

/** Without script, and where events cannot be had, this reads the page anew. */
const again = (url: string): Html =>
  html`<p class="again" data-without-script><a href="${url}">Reload this page to see how it goes</a></p>`

/** The body of a page that is open: who, what, how it goes, how long, and how to go on. */
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
  'A wallet is an app that keeps credentials for you. If nothing opens, there is none on this device that can do this.'

/** A link that a wallet on this device is opened by. */
export const walletLink = (address: string): Html =>
  html`<section aria-labelledby="here"><h2 id="here">On this device</h2><p><a class="button" href="${address}">Open my wallet</a></p><p class="hint">${WHAT_A_WALLET_IS}</p></section>`

/** Pixels that a QR code may have beside a column of text, and where it has the whole width. */
const [BESIDE_TEXT, WHOLE_WIDTH] = [288, 460]
/** Fewer pixels of a module are not read off a screen. */
const LEAST_PIXELS = 3

/** A QR code, how it is called by whoever cannot see it, and what to do with it. */
interface ScannedCode {
  readonly address: string
  readonly alt: string
  readonly text: string
}

/** A QR code with what to do with it beside it. */
async function scannedCode({ address, alt, text }: ScannedCode, heading: Html | undefined): Promise<Html> {
  const { dataUri, modules } = await qrCodeImage(address)
  const dense = modules * LEAST_PIXELS > BESIDE_TEXT
  const width = modules * Math.max(2, Math.floor((dense ? WHOLE_WIDTH : BESIDE_TEXT) / modules))
  return html`<section class="scanned${dense && ' dense'}"><div>${heading}<p>${text}</p></div><img class="qr" src="${dataUri}" width="${width}" height="${width}" alt="${alt}"></section>`
}

/** What a device with a wallet scans. */
export interface Scanned {
  /** What a wallet is opened with. */
  readonly address: string
  /** The page's own address. */
  readonly url: string
  /** Whether the page's code is the first that is seen: a camera without a wallet opens that alone. */
  readonly byCamera: boolean
  /** `offer` or `request`. */
  readonly what: string
  /** What else is to be known before scanning. */
  readonly hint?: string
}

/** Both codes: one that any camera can use, and one for the scanner of a wallet. The second is shown on demand. */
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
  const summary = byCamera ? 'Scan with the wallet itself' : 'The camera finds nothing?'
  return html`${await scannedCode(first, heading)}<details><summary>${summary}</summary>${await scannedCode(second, undefined)}</details>`
}
