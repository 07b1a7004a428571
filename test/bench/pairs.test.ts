import { expect, it } from 'vitest'
import { baseOf } from '../../bench/rows/goal.js'
import { keyProviderRows } from '../../bench/rows/key-providers.js'
import { trustedListRows } from '../../bench/rows/trusted-lists.js'
import type { World } from '../../bench/world.js'
import { WITHOUT_TOKEN } from '../keys/providers/softhsm.js'

/** A world in which nothing can be started. */
function closedWorld() {
  const started: string[] = []
  const startInstallation = async () => {
    started.push('installation')
    throw new Error('Nothing can be started.')
  }
  // The rows use no other member before they have an installation.
  return { world: { startInstallation } as unknown as World, started }
}

it('rows of key providers start their service when they are measured, and compare with keys of the database', async () => {
  const { world, started } = closedWorld()
  const said: string[] = []
  const [inMemory, inToken] = keyProviderRows(world, (line) => said.push(line))
  expect(started).toEqual([])
  await expect(inMemory?.measure(0.1)).rejects.toThrow('Nothing can be started.')
  expect(started).toEqual(['installation'])
  if (WITHOUT_TOKEN === undefined) expect(inToken?.goals?.map(baseOf)).toEqual([inMemory?.name, inMemory?.name])
  else expect(said).toEqual([`Keys of a token are not measured: ${WITHOUT_TOKEN}.`])
})

it('rows of trusted lists make the lists when they are measured, and compare with a service without lists', () => {
  const { world, started } = closedWorld()
  const [without, within] = trustedListRows(world)
  expect(started).toEqual([])
  expect(within?.goals?.map(baseOf)).toEqual([without?.name, without?.name])
})
