import { requireNode } from './setup/node-version.mjs'

requireNode()
import('./setup/launch.mjs').then(({ launch }) => launch('migrations/write-migration.ts', { build: false }))
