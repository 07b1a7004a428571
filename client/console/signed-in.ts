import { consolePath, serviceAddress } from './address.js'

/** The channel on which windows of the console report that the user has signed in. */
const CHANNEL = 'console-signed-in'

/** The address at which the sign-in of a second window ends. */
export const SIGNED_IN = '/signed-in'

/** The address to sign in. @param path the path below the console to return to */
export function loginAddress(path: string): string {
  const address = new URL(serviceAddress('/console/login'))
  address.searchParams.set('return', `${consolePath}${path.replace(/^\//, '')}`)
  return address.href
}

/** Informs the other windows that the user has signed in. */
export function tellSignedIn(): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage('signed-in')
  channel.close()
}

/** Calls the listener after a sign-in in another window. @returns a function that removes the listener */
export function onSignedIn(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = listener
  return () => channel.close()
}
