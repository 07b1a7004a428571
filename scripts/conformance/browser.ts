import type { Ask, Sent } from './trusting-fetch.js'

/** The page on which the browser is after all redirects. */
export interface Page {
  readonly url: string
  readonly status: number
  readonly html: string
}

/**
 * A minimal browser with the features that the pages of a run need: redirects, cookies, forms, and the only script of
 * the suite's pages.
 */
export interface Browser {
  open(url: string): Promise<Page>
  /** Presses a button of the page's form, and sends its hidden fields too. */
  press(page: Page, name: string, value: string): Promise<Page>
}

const MAX_REDIRECTS = 20

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" }

const unescaped = (text: string) => text.replace(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)

function attributesOf(tag: string): Record<string, string> {
  const found = [...tag.matchAll(/([\w-]+)="([^"]*)"/g)]
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, unescaped(value)]))
}

/** Finds the address to which a redirect page of the suite posts the fragment of the page's own address. */
function scriptedPost(html: string): string | undefined {
  const [, literal] = /xhr\.open\('POST', ("(?:[^"\\]|\\.)*")/.exec(html) ?? []
  return literal === undefined ? undefined : String(JSON.parse(literal))
}

/**
 * The address after a redirect. If the redirect has no fragment, the fragment of the former address applies (RFC 9110
 * §10.2.2).
 */
function followed(location: string, from: string): string {
  const target = new URL(location, from)
  if (target.hash === '') target.hash = new URL(from).hash
  return target.href
}

/** Reads the form of a page. @throws {Error} if the page has no form that is posted */
function formOf(page: Page): { readonly action: string; readonly hidden: Record<string, string> } {
  const [, tag = '', content = ''] = /<form\b([^>]*)>([\s\S]*?)<\/form>/.exec(page.html) ?? []
  const { method, action } = attributesOf(tag)
  if (method !== 'post' || action === undefined) throw new Error(`There is no form at ${page.url} (${page.status}).`)
  const inputs = [...content.matchAll(/<input\b([^>]*)>/g)].map(([, input = '']) => attributesOf(input))
  const hidden = inputs.filter(({ type }) => type === 'hidden')
  return {
    action: new URL(action, page.url).href,
    hidden: Object.fromEntries(hidden.map(({ name = '', value = '' }) => [name, value])),
  }
}

/** Makes a browser without cookies. */
export function newBrowser(ask: Ask): Browser {
  const cookies = new Map<string, Map<string, string>>()

  const jarOf = (host: string) => {
    const jar = cookies.get(host) ?? new Map<string, string>()
    cookies.set(host, jar)
    return jar
  }

  async function request(url: string, sent: Sent) {
    const { host } = new URL(url)
    const jar = jarOf(host)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { accept: 'text/html', ...sent.headers, ...(cookie === '' ? {} : { cookie }) }
    const answer = await ask(url, { ...sent, headers })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const [name = '', ...value] = pair.split('=')
      jar.set(name.trim(), value.join('='))
    }
    return answer
  }

  async function go(url: string, sent: Sent): Promise<Page> {
    let address = url
    let next = sent
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const answer = await request(address, next)
      const location = answer.headers.get('location')
      const html = await answer.text()
      if (location === null || answer.status < 300 || answer.status > 399) {
        return settled({ url: address, status: answer.status, html })
      }
      address = followed(location, address)
      next = {}
    }
    throw new Error(`${url} led on more than ${MAX_REDIRECTS} times.`)
  }

  async function settled(page: Page): Promise<Page> {
    const address = scriptedPost(page.html)
    if (address === undefined) return page
    const { hash } = new URL(page.url)
    const answer = await request(address, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: hash })
    await answer.text()
    return page
  }

  return {
    open: (url) => go(url, {}),
    press: (page, name, value) => {
      const { action, hidden } = formOf(page)
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        origin: new URL(page.url).origin,
        'sec-fetch-site': 'same-origin',
      }
      return go(action, { method: 'POST', headers, body: new URLSearchParams({ ...hidden, [name]: value }).toString() })
    },
  }
}
