import { buildConsole } from '../../scripts/launch/build.js'

/** Builds the console in the way of `npm start`, if its sources have changed. */
export default function setup(): void {
  buildConsole()
}
