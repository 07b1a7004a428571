import { requireNode } from './launch/node-version.mjs'

requireNode()
import('./launch/launch.mjs').then(({ launch }) =>
  launch('start/run.ts', { build: process.argv.indexOf('--dev') === -1 }),
)
