import { preferredType } from '../api/accept.js'
import type { Context } from '../api/context.js'
import { noPage, seeOther } from './page.js'
import { qrCodeDataUri, qrCodePng, qrCodeSvg } from './qr-code.js'

/** What the address of a QR code answers beside JSON. */
export const QR_CODE_TYPES = ['image/png', 'image/svg+xml', 'text/html'] as const

/** What a request for a QR code brings along. */
export type QrCodeContext = Pick<Context, 'request' | 'responseHeaders' | 'otherForm'>

/** A QR code that is asked for. */
export interface AskedQrCode<Code> {
  /** Undefined where there is none. */
  readonly code: Code | undefined
  /** What it says. */
  readonly textOf: (code: Code) => string
  /** The address of the page where a person sees it; made where there is none yet. */
  readonly pageOf: (code: Code) => Promise<string>
  readonly notFound: () => Error
}

/** No script in a picture can run; any page may embed it. */
const PICTURE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
}

/**
 * A QR code in the form that the request likes best (RFC 9110 §12.5.1): a data URI in JSON, a PNG, an SVG, or a page, as browsers
 * do. On `/trpc`, which has no such forms, it is the data URI.
 *
 * @param baseUrl what the address of the code begins with
 * @throws what `notFound` makes where there is none: a browser gets a page that says so
 */
export async function qrCodeAnswer<Code>(
  { request, responseHeaders, otherForm }: QrCodeContext,
  baseUrl: string,
  { code, textOf, pageOf, notFound }: AskedQrCode<Code>,
): Promise<string> {
  const isRest = request.pathParameter('id') !== undefined
  const type = isRest
    ? preferredType(request.headers.accept, ['application/json', ...QR_CODE_TYPES])
    : 'application/json'
  responseHeaders.set('vary', 'Accept')
  if (code === undefined) {
    if (type !== 'text/html') throw notFound()
    otherForm.reply = noPage(baseUrl)
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
