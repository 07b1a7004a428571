import { Browser, type ConsoleService, OF_CONSOLE, startConsole } from '../console/actors.js'
import { Tourist, type Visit, type Visited } from './tourist.js'

/**
 * Calls the operations of the console at a service whose users sign in. The service of the main tour has no sign-in.
 */
export const startWithConsole = (): Promise<ConsoleService> => startConsole({ maintenance: false })

/** Calls every operation of the console. */
export async function consoleTour(
  { service, provider }: ConsoleService,
  before: (visit: Visit) => Promise<void>,
): Promise<readonly Visited[]> {
  const tourist = new Tourist(service, '', before)
  const browser = new Browser()
  const { url } = service
  const anonymous = { anonymous: true } as const
  const { headers } = await tourist.go('GET', '/console/login', anonymous)
  const [set = ''] = headers.get('set-cookie')?.split(';') ?? []
  browser.jar(url).set('console-login', set.slice(set.indexOf('=') + 1))
  const callback = await browser.followTo(headers.get('location') ?? '', `${url}/console/callback`)
  const answered = await tourist.go('GET', '/console/callback', {
    ...anonymous,
    query: Object.fromEntries(new URL(callback).searchParams),
    headers: { cookie: browser.cookies(url) },
  })
  const [cookie = ''] = answered.headers.get('set-cookie')?.split(';') ?? []
  const ofConsole = { ...anonymous, headers: { ...OF_CONSOLE, cookie } }
  await tourist.go('GET', '/console/session', ofConsole)
  await tourist.go('POST', '/console/logout', { ...ofConsole, body: {} })
  // The ports change with each run, so examples must not contain them.
  const steady = (text: string) =>
    text
      .replaceAll(provider.issuer, 'https://login.example.org')
      .replaceAll(encodeURIComponent(url), encodeURIComponent('https://credence.example.org'))
  return tourist.visited.map((visit) => {
    const text = steady(visit.text)
    return { ...visit, text, json: visit.json === undefined ? undefined : JSON.parse(text) }
  })
}
