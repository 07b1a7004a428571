import { buildConsole } from '../../scripts/launch/build.js'

/** The console as `npm start` builds it, where its sources have changed since. */
export default function setup(): void {
  buildConsole()
}
