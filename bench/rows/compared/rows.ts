import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fill } from '../../fill/fill.js'
import type { BenchOptions } from '../../options.js'
import { type Peers, startPeers } from '../../peers/start.js'
import { foreignIssuers } from '../../wallet/foreign-issuers.js'
import type { Installation, World } from '../../world.js'
import { SCHEMA, TYPE } from '../fixture.js'
import type { Goal } from '../goal.js'
import type { Row } from '../row.js'
import { floorRow } from './floor.js'
import { type IssuingSide, issuingRow, issuingRows } from './issuing.js'
import { type PresentingSide, presentingRow, presentingRows } from './presenting.js'

const HELD = 16
/** The goals of the service: its CPU time for one flow, as a multiple of the CPU time of each peer. */
const OF_BARE_ISSUER = 1
const OF_CREDO_ISSUING = 1
const OF_CREDO_PRESENTING = 0.15
const OF_EMPTY_DATABASE = 1.3

export const OWN = 'Credence'
const BARE_ISSUER = 'the bare issuer library in memory'
const CREDO = 'Credo in memory'

const ratio = (of: string, atMost: number) => [{ kind: 'cpuRatio', of, atMost } as const]

/** URL of the built service of another clone. */
export const distOf = (root: string): string => pathToFileURL(join(root, 'dist/server/')).href

const otherBuild = (root: string) => `${OWN} of ${root}`

/**
 * Goals in comparison with another build, if `--against` names one: for the CPU time of the service, and for the sum of
 * the service's and PostgreSQL's CPU time.
 */
const noMoreThan = (root: string | undefined, rowOf: (name: string, atOnce: number) => string): Goal[] =>
  root === undefined
    ? []
    : (['cpuRatio', 'workRatio'] as const).map((kind) => ({ kind, of: rowOf(otherBuild(root), 8), atMost: 1 }))

export const ownIssuing = ({ service, authorization }: Installation): Omit<IssuingSide, 'name'> => ({
  target: service,
  offers: '/credential-offers',
  headers: { authorization },
  members: { credentialConfigurationIds: [`${TYPE}-sd-jwt`] },
})

export const ownPresenting = ({ service, authorization }: Installation): Omit<PresentingSide, 'name'> => ({
  target: service,
  requests: '/authorization-requests',
  result: (id) => `/verification-sessions/${id}/result`,
  headers: { authorization },
})

export const issuingPeers = ({ bareIssuer, credo }: Peers): IssuingSide[] => [
  { name: BARE_ISSUER, target: bareIssuer, offers: '/first-party/offers' },
  { name: CREDO, target: credo, offers: '/first-party/offers' },
]

export const presentingPeers = ({ credo }: Peers): PresentingSide[] => [
  { name: CREDO, target: credo, requests: '/first-party/requests', result: (id) => `/first-party/results/${id}` },
]

/**
 * Rows that compare the service with the peers, if the options ask for peers and the peers can be installed. Also rows
 * that compare the service with the same service on a full database.
 *
 * @param say receives messages for the report that are in no table
 */
export async function comparedRows(
  world: World,
  { peers: wanted, rows, against }: BenchOptions,
  say: (line: string) => void,
): Promise<Row[]> {
  const issuers = foreignIssuers()
  const installation = async (env: Readonly<Record<string, string>> = {}) => {
    const started = await world.startInstallation({ ...issuers.env, ...env })
    await started.credence.schemas.create.mutate(SCHEMA)
    return started
  }
  try {
    const peers = wanted
      ? await startPeers(world).catch((error: Error) => say(`The peers are not measured: ${error.message}`))
      : undefined
    const held = Array.from({ length: HELD }, issuers.named)
    const own = await installation()
    const issuing: IssuingSide[] = [
      {
        name: OWN,
        ...ownIssuing(own),
        goals: [
          ...ratio(issuingRow(BARE_ISSUER, 8), OF_BARE_ISSUER),
          ...ratio(issuingRow(CREDO, 8), OF_CREDO_ISSUING),
          ...noMoreThan(against, issuingRow),
        ],
      },
    ]
    const presenting: PresentingSide[] = [
      {
        name: OWN,
        ...ownPresenting(own),
        goals: [...ratio(presentingRow(CREDO, 8), OF_CREDO_PRESENTING), ...noMoreThan(against, presentingRow)],
      },
    ]
    if (against !== undefined) {
      const other = await installation({ BENCH_DIST: distOf(against) })
      const name = otherBuild(against)
      issuing.push({ name, ...ownIssuing(other) })
      presenting.push({ name, ...ownPresenting(other) })
    }
    if (rows > 0) {
      const full = await installation()
      const name = `${OWN} at ${rows.toLocaleString('en')} rows`
      const within = (of: string) => [{ kind: 'workRatio', of, atMost: OF_EMPTY_DATABASE } as const]
      const fullIssuing = { name, ...ownIssuing(full), goals: within(issuingRow(OWN, 8)) }
      const fullPresenting = { name, ...ownPresenting(full), goals: within(presentingRow(OWN, 8)) }
      // The rows of one issuance and one presentation are the rows that are copied.
      await issuingRows([fullIssuing])
      await presentingRows([fullPresenting], held)[0]?.measure(0.1)
      say(await fill(full.databaseUrl, rows))
      issuing.push(fullIssuing)
      presenting.push(fullPresenting)
    }
    if (peers !== undefined) {
      issuing.push(...issuingPeers(peers))
      presenting.push(...presentingPeers(peers))
    }
    const floor = await world.startFloor()
    return [
      ...(await issuingRows(issuing)),
      ...presentingRows(presenting, held),
      floorRow(floor, 'issuing', ratio(issuingRow(BARE_ISSUER, 8), OF_BARE_ISSUER)),
      floorRow(floor, 'presenting', ratio(presentingRow(CREDO, 8), OF_CREDO_PRESENTING)),
    ]
  } finally {
    issuers.remove()
  }
}
