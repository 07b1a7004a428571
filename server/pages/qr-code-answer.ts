import { preferredType } from '../api/accept.js'
import type { Context } from '../api/context.js'
import type { Contact } from './contact.js'
import { noPage, seeOther } from './page.js'
import { qrCodeDataUri, qrCodePng, qrCodeSvg } from './qr-code.js'
import { speechFor } from './speech.js'

/** Media types, in addition to JSON, that the address of a QR code can return. */
export const QR_CODE_TYPES = ['image/png', 'image/svg+xml', 'text/html'] as const

/** The parts of a request's context that are needed to answer with a QR code. */
export type QrCodeContext = Pick<Context, 'request' | 'responseHeaders' | 'otherForm'>

/** A requested QR code. */
export interface AskedQrCode<Code> {
  /** Undefined for an unknown code. */
  readonly code: Code | undefined
  /** Returns the text that the QR code contains. */
  readonly textOf: (code: Code) => string
  /** Returns the address of the page that shows the code to a person. Creates the page if it does not exist yet. */
  readonly pageOf: (code: Code) => Promise<string>
  readonly notFound: () => Error
}

/** The service at the address of a QR code. */
interface QrCodePlace {
  readonly baseUrl: string
  /** The contact for people whose code is unknown. */
  readonly serviceContact: Contact | undefined
}

/** With these headers, scripts in a picture cannot run, and any page may embed the picture. */
const PICTURE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
}

/**
 * Answers with a QR code in the media type that the request prefers (RFC 9110 §12.5.1): JSON with a data URI, a PNG, an
 * SVG, or a page. Browsers prefer the page. `/trpc` can only return the data URI.
 *
 * @throws the error of `notFound` for an unknown code; a browser gets a page with the message
 */
export async function qrCodeAnswer<Code>(
  { request, responseHeaders, otherForm }: QrCodeContext,
  { baseUrl, serviceContact }: QrCodePlace,
  { code, textOf, pageOf, notFound }: AskedQrCode<Code>,
): Promise<string> {
  const isRest = request.pathParameter('id') !== undefined
  const type = isRest
    ? preferredType(request.headers.accept, ['application/json', ...QR_CODE_TYPES])
    : 'application/json'
  responseHeaders.set('vary', 'Accept')
  if (code === undefined) {
    if (type !== 'text/html') throw notFound()
    otherForm.reply = noPage(baseUrl, speechFor(request, baseUrl), serviceContact)
    return ''
  }
  switch (type) {
    case 'text/html':
      otherForm.reply = seeOther(await pageOf(code))
      return ''
    case 'image/png':
      otherForm.reply = picture(type, new Uint8Array(await qrCodePng(textOf(code))))
      return ''
    case 'image/svg+xml':
      otherForm.reply = picture(type, await qrCodeSvg(textOf(code)))
      return ''
    case 'application/json':
      return qrCodeDataUri(textOf(code))
  }
}

const picture = (type: string, body: string | Uint8Array) => ({
  status: 200,
  headers: { 'content-type': type, ...PICTURE_HEADERS },
  body,
})
