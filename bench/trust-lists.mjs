import { requireNode } from '../scripts/launch/node-version.mjs'

requireNode()
import('../scripts/launch/launch.mjs').then(({ launch }) => launch('../bench/trust-lists/run.ts', { build: false }))
