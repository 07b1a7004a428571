import { requireNode } from './setup/node-version.mjs'

requireNode()
import('./setup/launch.mjs').then(({ launch }) =>
  launch('start/run.ts', { build: process.argv.indexOf('--dev') === -1 }),
)
