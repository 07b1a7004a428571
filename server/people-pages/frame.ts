import { type Html, html } from '../pages/html.js'
import { qrCodeImage } from '../qr-code.js'

/** The parts of a page that is open. */
export interface OpenPage {
  /** The page's own address. */
  readonly url: string
  /** Who asks or offers. */
  readonly from: string
  readonly heading: string
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

/** A QR code of an address for a wallet on another device, with what to do with it beside it. */
export async function scannedCode(address: string, alt: string, text: string): Promise<Html> {
  const { dataUri, modules } = await qrCodeImage(address)
  const dense = modules * LEAST_PIXELS > BESIDE_TEXT
  const width = modules * Math.max(2, Math.floor((dense ? WHOLE_WIDTH : BESIDE_TEXT) / modules))
  return html`<section class="scanned${dense && ' dense'}" aria-labelledby="there"><div><h2 id="there">With a wallet on another device</h2><p>${text}</p></div><img class="qr" src="${dataUri}" width="${width}" height="${width}" alt="${alt}"></section>`
}
