import { consolePath, serviceAddress } from './address.js'

/** The channel on which windows of the console report that the user has signed in. */
const CHANNEL = 'console-signed-in'

/** The address at which the sign-in of a second window ends. */
export const SIGNED_IN = '/signed-in'

/**
 * The address to sign in.
 *
 * @param path the path below the console to return to
 * @param account `other` if the user chooses an account at the identity provider
 */
export function loginAddress(path: string, account?: 'other'): string {
  const address = new URL(serviceAddress('/console/login'))
  if (account !== undefined) address.searchParams.set('account', account)
  address.searchParams.set('return', `${consolePath}${path.replace(/^\//, '')}`)
  return address.href
}

type News = 'signed-in' | 'signed-out'

/** One channel for sending and receiving: a window does not receive its own news. */
const channel = new BroadcastChannel(CHANNEL)

const tell = (news: News): void => channel.postMessage(news)

/** Informs the other windows that the user has signed in. */
export const tellSignedIn = (): void => tell('signed-in')

/** Informs the other windows that the user has signed out. */
export const tellSignedOut = (): void => tell('signed-out')

/** Calls a listener after a sign-in or a sign-out in another window. @returns a function that removes the listeners */
export function onSignedIn(listeners: Readonly<Record<News, () => void>>): () => void {
  channel.onmessage = ({ data }: MessageEvent<News>) => listeners[data]()
  return () => {
    channel.onmessage = null
  }
}
