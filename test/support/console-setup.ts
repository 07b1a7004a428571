import { buildConsole } from '../../scripts/launch/build.js'

/** Builds the console as `npm start` does, if its sources have changed. */
export default function setup(): void {
  buildConsole()
}
