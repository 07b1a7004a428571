import { readLote } from '../../server/protocol/trust-lists/lote/read-lote.js'
import { type Anchors, compileAnchors } from '../../server/protocol/trust-lists/match/anchors.js'
import type { AnchorSource } from '../../server/protocol/trust-lists/match/answers.js'
import { matchChain } from '../../server/protocol/trust-lists/match/match.js'
import { makeCertificate, type TestCertificate } from '../../test/protocol/issuer-keys/certificates.js'
import { argumentsOf } from '../arguments.js'
import { median } from '../measure/sample.js'
import { machine } from '../report/machine.js'
import { makeLists } from './lists.js'

const NOW = new Date('2026-06-01T00:00:00Z')
const BEGIN = new Date('2026-05-01T00:00:00Z')
const END = new Date('2026-08-01T00:00:00Z')
const CHAINS = 500

const say = (line: string) => process.stdout.write(`${line}\n`)

/** CPU time of this process for a step, in milliseconds. */
async function cpuOf<Value>(step: () => Promise<Value> | Value): Promise<{ ms: number; value: Value }> {
  const before = process.cpuUsage()
  const value = await step()
  const { user, system } = process.cpuUsage(before)
  return { ms: (user + system) / 1000, value }
}

async function readAll(all: readonly Uint8Array[], operator: TestCertificate): Promise<AnchorSource[]> {
  const sources: AnchorSource[] = []
  for (const [at, bytes] of all.entries()) {
    const read = await readLote(bytes, { signer: { pem: String(operator.certificate) }, now: NOW, profile: 'pid' })
    if (!read.accepted) throw new Error(read.sentence)
    sources.push({ id: `list-${at}`, list: read.list, until: END })
  }
  return sources
}

function matchAll(chains: readonly (readonly string[])[], anchors: Anchors): void {
  for (const chain of chains) {
    const match = matchChain(chain, anchors, { now: NOW, use: 'issuance', purpose: 'credential' })
    if (!match.trusted) throw new Error(match.sentence)
  }
}

/** Reads lists, compiles them and matches chains, in this process. */
export async function run(args: readonly string[]): Promise<void> {
  const values = argumentsOf(args, {
    lists: { type: 'string', default: '30' },
    entities: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '5' },
  })
  const [lists, entities, rounds] = [Number(values.lists), Number(values.entities), Number(values.rounds)]
  say(`${machine()}, Node.js ${process.version}`)
  say(`${lists} lists of ${entities} entities with two services each`)
  const { operator, lists: made } = await makeLists({ lists, entities, issuedAt: BEGIN, nextUpdate: END })
  const issuer = made[0]?.first ?? operator
  const strangers = Array.from({ length: CHAINS }, (_, at) =>
    makeCertificate({ subject: `C=EU/Stranger ${at}`, issuer: makeCertificate({ subject: 'C=EU/Nobody', ca: true }) }),
  )
  const chains = Array.from({ length: CHAINS }, (_, at) => [
    makeCertificate({ subject: `C=EU/Signer ${at}`, issuer, keyUsage: 0x80 }).x5c,
  ])

  const results = { read: [] as number[], longest: [] as number[], compile: [] as number[] }
  const matches = { first: [] as number[], again: [] as number[], stranger: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    const read = await cpuOf(() =>
      readAll(
        made.map(({ bytes }) => bytes),
        operator,
      ),
    )
    const one = await cpuOf(() =>
      readAll(
        made.slice(0, 1).map(({ bytes }) => bytes),
        operator,
      ),
    )
    const compiled = await cpuOf(() => compileAnchors(read.value))
    results.read.push(read.ms)
    results.longest.push(one.ms)
    results.compile.push(compiled.ms)
    matches.first.push((await cpuOf(() => matchAll(chains, compiled.value))).ms / CHAINS)
    matches.again.push((await cpuOf(() => matchAll(chains, compiled.value))).ms / CHAINS)
    const query = { now: NOW, use: 'issuance', purpose: 'credential' } as const
    const refused = () => strangers.every(({ x5c }) => !matchChain([x5c], compiled.value, query).trusted)
    matches.stranger.push((await cpuOf(refused)).ms / CHAINS)
  }

  say('')
  say('| Step | CPU time, median |')
  say('| --- | --- |')
  say(
    `| read all lists (${(made.reduce((sum, { bytes }) => sum + bytes.length, 0) / 1_048_576).toFixed(1)} MiB) | ${median(results.read).toFixed(0)} ms |`,
  )
  say(`| read one list | ${median(results.longest).toFixed(1)} ms |`)
  say(`| compile all anchors | ${median(results.compile).toFixed(0)} ms |`)
  say(`| match a chain for the first time | ${(median(matches.first) * 1000).toFixed(0)} µs |`)
  say(`| match a chain again | ${(median(matches.again) * 1000).toFixed(1)} µs |`)
  say(`| refuse a chain that is on no list | ${(median(matches.stranger) * 1000).toFixed(0)} µs |`)
}
