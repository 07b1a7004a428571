import { requireNode } from './launch/node-version.mjs'

requireNode()
import('./launch/launch.mjs').then(({ launch }) => launch('migrations/write-migration.ts', { build: false }))
