import { lazyRouteComponent as lazily } from '@tanstack/react-router'
import { connection } from './connection.js'

/**
 * Loads a part of the console. If the service is away, the part is loaded when the service answers again. Without this wait the
 * router would reload the page, and the browser would show its own error page in place of the console.
 *
 * @throws the error of the load, if the service answers: then the part belongs to an earlier version of the console
 */
export async function loaded<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (error) {
    await connection.ask()
    if (!connection.isAway()) throw error
    await connection.answered()
    return load()
  }
}

/** A screen in a file of its own, which is loaded when the user opens the screen or is about to open it. */
export const lazyRouteComponent: typeof lazily = (load, name) => lazily(() => loaded(load), name)
