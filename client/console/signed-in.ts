import { consolePath, serviceAddress } from './address.js'

/** Windows of the console tell each other that somebody has logged in. */
const CHANNEL = 'console-signed-in'

/** Where the login of a second window ends. */
export const SIGNED_IN = '/signed-in'

/** Where the browser logs in. @param path below the console: where it comes back to */
export function loginAddress(path: string): string {
  const address = new URL(serviceAddress('/console/login'))
  address.searchParams.set('return', `${consolePath}${path.replace(/^\//, '')}`)
  return address.href
}

/** Tells the other windows. */
export function tellSignedIn(): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage('signed-in')
  channel.close()
}

/** Hears of a login in another window, until what it returns is called. */
export function onSignedIn(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = listener
  return () => channel.close()
}
