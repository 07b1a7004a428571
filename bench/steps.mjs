import { requireNode } from '../scripts/setup/node-version.mjs'

requireNode()
import('../scripts/setup/launch.mjs').then(({ launch }) => launch('../bench/steps/run.ts', { build: true }))
