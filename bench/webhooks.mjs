import { requireNode } from '../scripts/launch/node-version.mjs'

requireNode()
import('../scripts/launch/launch.mjs').then(({ launch }) => launch('../bench/webhooks/run.ts', { build: true }))
