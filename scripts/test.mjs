import { requireNode } from './launch/node-version.mjs'

requireNode()
import('./launch/launch.mjs').then(({ launch }) => launch('test/run.ts', { build: false }))
