import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pemOf } from '../../test/agent/authority.js'
import { root } from '../../test/agent/certified.js'
import { authorityOf } from '../../test/agent/delegated.js'
import { makeToken, WITHOUT_TOKEN } from '../../test/keys/providers/softhsm.js'
import { measureActors } from '../measure/actors.js'
import { newBenchWallet } from '../wallet/wallet.js'
import type { World } from '../world.js'
import { type IssuingSide, issued } from './compared/issuing.js'
import { ownIssuing } from './compared/rows.js'
import { SCHEMA } from './fixture.js'
import type { Row } from './row.js'

const AT_ONCE = 8
const WALLETS = 64
/** CPU time of the service with the process of the module, as a multiple of the CPU time with keys in memory. */
const OF_MEMORY_KEYS = 1.3
/** The same with delegated signing. Its document signers are keys in memory too. */
const DELEGATED = 1.02

const rowOf = (where: string) => `issuing in full with keys ${where}, ${AT_ONCE} at once`

/**
 * Rows of whole issuances with keys of the database, which sign in the memory of the service, and with keys of a software
 * token. Each row has its own service and its own database, which start when the row is measured for the first time.
 *
 * @param say receives the reason if the token cannot be measured
 */
export function keyProviderRows(world: World, say: (line: string) => void): Row[] {
  const wallets = Array.from({ length: WALLETS }, newBenchWallet)
  const row = (name: string, environment: () => Promise<Readonly<Record<string, string>>>): Row => {
    const start = async (): Promise<IssuingSide> => {
      const installation = await world.startInstallation(await environment())
      await installation.credence.schemas.create.mutate(SCHEMA)
      return { name, ...ownIssuing(installation) }
    }
    let started: Promise<IssuingSide> | undefined
    return {
      name,
      measure: async (seconds) => {
        started ??= start()
        const side = await started
        return measureActors(side.target, wallets, (caller, wallet) => issued(caller, side, wallet), AT_ONCE, seconds)
      },
    }
  }
  const inMemory = row(rowOf('of the database'), async () => ({}))
  if (WITHOUT_TOKEN !== undefined) {
    say(`Keys of a token are not measured: ${WITHOUT_TOKEN}.`)
    return [inMemory]
  }
  const inToken = row(rowOf('of SoftHSM by PKCS#11'), async () => {
    const token = await makeToken()
    world.atEnd(token.remove)
    return { ...token.env, ISSUER_KEY_PROVIDER: 'hsm' }
  })
  const delegated = row(rowOf('of SoftHSM and signing delegated'), async () => {
    const token = await makeToken()
    world.atEnd(token.remove)
    const keyPair = { publicKey: await token.newKey('authority', '0c0d'), privateKey: root.privateKey }
    const path = join(token.directory, 'issuer.pem')
    await writeFile(path, `key: hsm:authority\n${pemOf(authorityOf({ keyPair }))}`)
    return { ...token.env, ISSUER_KEY_PROVIDER: 'hsm', ISSUER_X509: path, ISSUER_SIGNING: 'delegated' }
  })
  const within = (most: number) =>
    [
      { kind: 'cpuRatio', of: inMemory.name, atMost: most },
      { kind: 'rate', of: inMemory.name, atLeast: Math.round(100 / most) / 100 },
    ] as const
  return [inMemory, { ...inToken, goals: within(OF_MEMORY_KEYS) }, { ...delegated, goals: within(DELEGATED) }]
}
