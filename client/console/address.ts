const named = document.querySelector<HTMLMetaElement>('meta[name="console-address"]')?.content ?? './'

/** The path of the console's pages, with a slash at the end: `/console/`, or below the service's path. */
export const consolePath = named === './' ? '/console/' : named

/** Base URL of the service: the address at which the user's browser opened it. */
export const serviceUrl = new URL('..', new URL(consolePath, window.location.origin))

/** The whole address for a path of the service, such as `/health/readiness`. */
export const serviceAddress = (path: string): string => new URL(path.replace(/^\//, ''), serviceUrl).href
