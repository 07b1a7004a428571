import { requireNode } from '../scripts/launch/node-version.mjs'

requireNode()
import('../scripts/launch/launch.mjs').then(({ launch }) => launch('../bench/steps/run.ts', { build: true }))
