import { connection } from './connection.js'

/**
 * Opens an address of the service in this window, once the service answers. Until then the console stays on the screen with its bar:
 * a service that is away never makes the browser show its own error page.
 */
export async function leaveTo(address: string): Promise<void> {
  await connection.answered()
  window.location.assign(address)
}

/** Reads the page of the console again, once the service answers. */
export async function readAgain(): Promise<void> {
  await connection.answered()
  window.location.reload()
}
