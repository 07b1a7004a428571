import type { Config } from '../config/config.js'

type Base = Pick<Config, 'issuerBaseUrl'>

/** The console's first page. */
export const homeOf = ({ issuerBaseUrl }: Base): string => `${issuerBaseUrl}/console/`

/** Without `\`, which browsers read as `/`, and what URL parsers drop. */
const PRINTABLE = /^[\x21-\x5b\x5d-\x7e]{1,2000}$/
/** What is below the console and is no page of it. */
const NO_PAGE = /^(login|callback|logout|session|assets)(\/|$)/

/**
 * Where a browser goes after its login: an address of the console, as a path or whole; its first page where it is none.
 *
 * @param to as a browser sent it
 */
export function returnAddress(base: Base, to: string | undefined): string {
  const home = homeOf(base)
  if (to === undefined || !PRINTABLE.test(to) || !URL.canParse(to, home)) return home
  const { href } = new URL(to, home)
  return href.startsWith(home) && !NO_PAGE.test(new URL(to, home).pathname.slice(new URL(home).pathname.length))
    ? href
    : home
}
