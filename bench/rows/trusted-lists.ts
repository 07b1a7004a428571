import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeServer, listenLocally } from '../../test/support/local-server.js'
import { measureActors } from '../measure/actors.js'
import { makeLists } from '../trust-lists/lists.js'
import type { HeldCredential } from '../wallet/answer.js'
import { certificateFiles } from '../wallet/certificate-files.js'
import { foreignIssuers } from '../wallet/foreign-issuers.js'
import type { Installation, World } from '../world.js'
import { type PresentingSide, presented } from './compared/presenting.js'
import { ownPresenting } from './compared/rows.js'
import type { Row } from './row.js'

const AT_ONCE = 8
const HELD = 16
const LISTS = 30
const ENTITIES = 500
const OF_NO_LISTS = 1.02
const DAY_MS = 86_400_000
const READ_SECONDS = 120

const rowOf = (lists: string) => `presenting in full, an issuer by x5c, ${lists}, ${AT_ONCE} at once`

/** Makes the issuer, its credentials and the lists, and serves the lists. @returns the settings of both services */
async function prepare(world: World) {
  const issuers = foreignIssuers()
  const files = certificateFiles()
  const now = Date.now()
  const made = await makeLists({
    lists: LISTS,
    entities: ENTITIES,
    issuedAt: new Date(now - DAY_MS),
    nextUpdate: new Date(now + 30 * DAY_MS),
    authority: issuers.authority,
  })
  const server = createServer((request, response) => {
    const { bytes } = made.lists[Number(request.url?.slice(1))] ?? {}
    response.writeHead(bytes === undefined ? 404 : 200, { 'content-type': 'application/jose' }).end(bytes)
  })
  const url = await listenLocally(server)
  world.atEnd(async () => {
    issuers.remove()
    files.remove()
    await closeServer(server)
  })
  const lists = made.lists.map((_, at) => ({
    url: `${url}/${at}`,
    kind: 'lote',
    profile: 'pid',
    purpose: 'credentials',
    signer: { pem: String(made.operator.certificate) },
  }))
  const { TRUST_ANCHORS, ...others } = issuers.env
  const common = { ...others, OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' }
  return {
    held: Array.from({ length: HELD }, issuers.certified),
    byAnchors: { ...common, TRUST_ANCHORS },
    byLists: { ...common, TRUST_LISTS: files.fileOf('lists.json', JSON.stringify(lists)) },
  }
}

type Prepared = Awaited<ReturnType<typeof prepare>>

/** Waits until the service trusts all lists. */
async function untilRead({ service, clientSecret }: Installation): Promise<void> {
  const deadline = performance.now() + READ_SECONDS * 1_000
  for (;;) {
    const answer = await fetch(`${service.url}/api/v1/trust-lists`, { headers: { 'x-client-secret': clientSecret } })
    const { items } = (await answer.json()) as { items: { state: string; reason?: string }[] }
    if (items.length === LISTS && items.every(({ state }) => state === 'usable')) return
    const { reason } = items.find(({ state }) => state !== 'usable') ?? {}
    if (performance.now() > deadline) throw new Error(`The service has not read all trusted lists: ${reason}`)
    await sleep(500)
  }
}

/**
 * Rows of whole presentations of a certified issuer's credential. In the first row the service has no trusted lists, and
 * TRUST_ANCHORS has the issuer's authority. In the second row one of many lists has the authority. Each row has its own
 * service and its own database, which start when the row is measured for the first time.
 */
export function trustedListRows(world: World): Row[] {
  let preparing: Promise<Prepared> | undefined
  const row = (name: string, environment: (prepared: Prepared) => Readonly<Record<string, string>>): Row => {
    const start = async (): Promise<{ side: PresentingSide; held: readonly HeldCredential[] }> => {
      preparing ??= prepare(world)
      const prepared = await preparing
      const env = environment(prepared)
      const installation = await world.startInstallation(env)
      if ('TRUST_LISTS' in env) await untilRead(installation)
      return { side: { name, ...ownPresenting(installation) }, held: prepared.held }
    }
    let started: ReturnType<typeof start> | undefined
    return {
      name,
      measure: async (seconds) => {
        started ??= start()
        const { side, held } = await started
        return measureActors(side.target, held, (caller, one) => presented(caller, side, one), AT_ONCE, seconds)
      },
    }
  }
  const without = row(rowOf('no trusted lists'), ({ byAnchors }) => byAnchors)
  const within = row(rowOf(`${LISTS} trusted lists of ${ENTITIES} entities`), ({ byLists }) => byLists)
  const goals = (['cpuRatio', 'workRatio'] as const).map((kind) => ({ kind, of: without.name, atMost: OF_NO_LISTS }))
  return [without, { ...within, goals }]
}
