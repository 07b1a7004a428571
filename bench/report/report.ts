import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BenchOptions } from '../options.js'
import type { StreamCost } from '../rows/streams.js'
import type { World } from '../world.js'
import { machine } from './machine.js'
import { type Measured, outcomesOf } from './outcomes.js'
import { dayOf, RESULTS, titleOf } from './saved.js'
import { goalTableOf, streamTableOf, tableOf } from './tables.js'

/** The results of a run. */
export interface Findings {
  readonly world: Pick<World, 'postgres' | 'nodeVersion'>
  readonly options: BenchOptions
  readonly measured: Measured
  readonly streams: readonly StreamCost[]
  /** The messages that the run has printed. */
  readonly notes: readonly string[]
}

/** Sentences about the machine, the programs and the options of a run. */
function circumstances({ world, options, notes }: Findings): string[] {
  const { rounds, seconds, warmUpSeconds, processes, only } = options
  const service = processes === 1 ? 'one process of the service' : `${processes} processes of the service`
  return [
    `${machine()}. Node ${world.nodeVersion}, ${service}, the load and PostgreSQL on the same machine.`,
    `${world.postgres.description}.`,
    `Medians of ${rounds} rounds of ${seconds} s a row, after turns of ${warmUpSeconds} s of warming up.`,
    ...(only.length > 0 ? [`Rows with ${only.map((text) => `“${text}”`).join(' and ')} in their names alone.`] : []),
    ...notes,
  ]
}

/** The report in Markdown. */
export function reportOf(findings: Findings): string {
  const { measured, streams } = findings
  const tables = [tableOf(measured), goalTableOf(measured), ...(streams.length > 0 ? [streamTableOf(streams)] : [])]
  return [circumstances(findings).join('\n'), ...tables].join('\n\n')
}

/** All results as JSON, round by round. */
function jsonOf(findings: Findings, at: Date): string {
  const { world, options, measured, streams, notes } = findings
  const rows = [...measured].map(([{ name }, samples]) => ({ name, samples }))
  const { json: _json, save: _save, profile: _profile, node: _node, ...settings } = options
  const setting = { machine: machine(), node: world.nodeVersion, postgres: world.postgres.description, ...settings }
  return `${JSON.stringify({ at, setting, notes, rows, goals: outcomesOf(measured), streams }, undefined, 1)}\n`
}

/**
 * The name of a report: the day, and the options that differ from their defaults. So a run of some rows does not
 * overwrite a run of all rows.
 */
export function nameOf({ processes, rows, node, only, quick, against }: BenchOptions, at: Date): string {
  const parts = [
    dayOf(at),
    ...(node === undefined ? [] : [`node-${node}`]),
    ...(processes === 1 ? [] : [`${processes}-processes`]),
    ...(rows === 0 ? [] : [`${rows}-rows`]),
    ...(against === undefined ? [] : ['against']),
    ...(quick ? ['quick'] : []),
    ...only.map((text) => text.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')),
  ]
  return parts.join('-')
}

/** Writes the files that the options ask for. @returns their paths */
export function keep(findings: Findings, at: Date): string[] {
  const { options } = findings
  const files: [path: string, text: string][] = []
  if (options.json !== undefined) files.push([options.json, jsonOf(findings, at)])
  if (options.save) {
    const path = join(RESULTS, nameOf(options, at))
    files.push([`${path}.md`, `${titleOf(at)}\n\n${reportOf(findings)}\n`], [`${path}.json`, jsonOf(findings, at)])
  }
  for (const [path, text] of files) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return files.map(([path]) => path)
}
