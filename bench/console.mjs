import { requireNode } from '../scripts/setup/node-version.mjs'

requireNode()
import('../scripts/setup/launch.mjs').then(({ launch }) => launch('../bench/console/run.ts', { build: true }))
