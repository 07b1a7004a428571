import type { Config } from '../config/config.js'

type Base = Pick<Config, 'issuerBaseUrl'>

/** The console's first page. */
export const homeOf = ({ issuerBaseUrl }: Base): string => `${issuerBaseUrl}/console/`

/**
 * The address to which the identity provider sends a browser back, after a sign-in and after a sign-out. It is one
 * address, so that operators register one address.
 */
export const callbackOf = ({ issuerBaseUrl }: Base): string => `${issuerBaseUrl}/console/callback`

/** Printable characters without `\`, which browsers read as `/`, and without characters that URL parsers drop. */
const PRINTABLE = /^[\x21-\x5b\x5d-\x7e]{1,2000}$/
/** Addresses below the console that are not pages. */
const NO_PAGE = /^(login|callback|logout|session|assets)(\/|$)/

/**
 * Returns the address to which a browser is sent after its login. If the requested address is not in the console, the
 * first page of the console is returned.
 *
 * @param to a path or a whole address, as the browser sent it
 */
export function returnAddress(base: Base, to: string | undefined): string {
  const home = homeOf(base)
  if (to === undefined || !PRINTABLE.test(to) || !URL.canParse(to, home)) return home
  const { href } = new URL(to, home)
  return href.startsWith(home) && !NO_PAGE.test(new URL(to, home).pathname.slice(new URL(home).pathname.length))
    ? href
    : home
}
