import { textInPng } from '../support/qr-code.js'
import type { Answer, TestService } from '../support/service.js'
import { answer, ask, dcql, fetchRequest, type makeWorld, present } from '../verifier/actors.js'

export const SHOP = 'https://shop.example/done'

/** A browser that keeps its cookie and opens pages of the service. */
export interface Visitor {
  cookie: string | undefined
  /** Opens an address without following a redirect. */
  open(url: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
}

export function newVisitor(service: TestService): Visitor {
  const visitor: Visitor = {
    cookie: undefined,
    async open(url, headers = {}) {
      const path = url.replace(/^https?:\/\/[^/]+/, '')
      const cookie = visitor.cookie === undefined ? {} : { cookie: visitor.cookie }
      const answer = await service.request('GET', path, { headers: { ...cookie, ...headers } })
      const set = answer.headers.get('set-cookie')
      if (set !== null) visitor.cookie = set.split(';')[0]
      return answer
    },
  }
  return visitor
}

/** A request with a page, and a function that reads the result as the request's creator. */
export async function askOnPage(service: TestService, members: Record<string, unknown> = {}) {
  const asked = await ask(service, {
    dcqlQuery: dcql(service, 'dc+sd-jwt'),
    responseMode: 'direct_post',
    redirectUri: SHOP,
    page: true,
    ...members,
  })
  const { pageUrl } = asked as typeof asked & { pageUrl: string }
  return { ...asked, pageUrl }
}

export type Page = Awaited<ReturnType<typeof askOnPage>>

export async function resultOf(service: TestService, page: Pick<Page, 'verificationSessionId'>, code?: string) {
  const query = code === undefined ? '' : `?${new URLSearchParams({ response_code: code })}`
  return service.request('GET', `/verification-sessions/${page.verificationSessionId}/result${query}`, {
    authorization: await service.bearer('verifier'),
  })
}

/** Lets a wallet answer. Returns the address for its user. */
export async function answerOf(
  world: Awaited<ReturnType<typeof makeWorld>>,
  page: Pick<Page, 'request_uri'>,
): Promise<string> {
  const payload = await fetchRequest(page)
  const { status, json, text } = await answer(payload, {
    purchase: [await present(world.held['dc+sd-jwt'], world.wallet, payload)],
  })
  if (status !== 200) throw new Error(text)
  return json.redirect_uri
}

/**
 * Reads the texts of the page's two QR codes: first the code that is always shown, then the code that a user must
 * unfold.
 */
export const scannedBoth = ({ text }: Answer): (string | undefined)[] =>
  [...text.matchAll(/src="data:image\/png;base64,([^"]+)"/g)].map(([, base64 = '']) =>
    textInPng(Buffer.from(base64, 'base64')),
  )

/** The text of the QR code that a page shows first. */
export const scanned = (answer: Answer): string | undefined => scannedBoth(answer)[0]

/** The text of a page without its markup. */
export const writtenOn = ({ text }: Pick<Answer, 'text'>): string =>
  text
    .replace(/^.*<body>/s, '')
    .replace(/<footer>.*<\/footer>/s, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Returns the address of the link that has the given text. */
export function linkOn({ text }: Answer, label: string): string | undefined {
  const found = [...text.matchAll(/<a [^>]*href="([^"]*)"[^>]*>(?:<bdi[^>]*>)?([^<]*)(?:<\/bdi>)?<\/a>/g)].find(
    ([, , each]) => each === label,
  )
  return found?.[1]?.replaceAll('&amp;', '&')
}
