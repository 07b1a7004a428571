import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installExactly } from '../npm.js'
import type { Target } from '../targets/target.js'
import type { World } from '../world.js'

const folder = import.meta.dirname

/** The running peers, with which the service is compared. */
export interface Peers {
  readonly bareIssuer: Target
  readonly credo: Target
}

const PINNED = ['@credo-ts/core', '@credo-ts/openid4vc', '@openid4vc/openid4vci', '@sd-jwt/sd-jwt-vc', 'express']

function installed(): boolean {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  const present = join(folder, 'node_modules', '.package-lock.json')
  if (!existsSync(present)) return false
  const { packages } = JSON.parse(readFileSync(present, 'utf8'))
  return PINNED.every((name) => {
    const path = `node_modules/${name}`
    return packages[path]?.version === lock.packages[path].version
  })
}

/** Installs missing peers from their own lock file, and starts the peers. @throws if this fails */
export async function startPeers(world: World): Promise<Peers> {
  if (!installed()) installExactly(folder)
  return { bareIssuer: await world.startPeer('bare-issuer.mjs'), credo: await world.startPeer('credo.mjs') }
}
