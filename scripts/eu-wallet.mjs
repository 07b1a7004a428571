import { requireNode } from './launch/node-version.mjs'

requireNode()
import('./launch/launch.mjs').then(({ launch }) => launch('eu-wallet/run.ts', { build: true }))
