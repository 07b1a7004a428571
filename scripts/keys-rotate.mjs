import { requireNode } from './launch/node-version.mjs'

requireNode()
import('./launch/launch.mjs').then(({ launch }) => launch('keys-rotate/run.ts', { build: false }))
