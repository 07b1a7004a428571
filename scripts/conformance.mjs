import { requireNode } from './launch/node-version.mjs'

requireNode()
import('./launch/launch.mjs').then(({ launch }) => launch('conformance/run.ts', { build: true }))
