import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectDirectory } from '../../server/database/migrations.js'
import { freePort } from '../events/servers.js'

/** The ports of a process of the service behind the balancer. */
export interface Place {
  readonly port: number
  readonly probe: number
}

/** HAProxy with the configuration of `deploy/haproxy`. */
export interface Balancer extends AsyncDisposable {
  readonly url: string
  readonly places: Readonly<Record<'one' | 'two', Place>>
  start(): void
  /** The messages about the balancer's servers so far, such as `one is DOWN`, the oldest first. */
  said(): string[]
}

/** Starts the balancer. @param probeEvery time between two probes, such as `200ms`; by default the value of the deployment's file. */
export async function createBalancer(probeEvery?: string): Promise<Balancer> {
  const [port = 0, ...others] = await Promise.all(Array.from({ length: 5 }, freePort))
  const [one = 0, oneProbe = 0, two = 0, twoProbe = 0] = others
  const directory = await mkdtemp(join(tmpdir(), 'credence-haproxy-'))
  const text = await readFile(join(projectDirectory(), 'deploy/haproxy/haproxy.cfg'), 'utf8')
  const file = join(directory, 'haproxy.cfg')
  await writeFile(file, probeEvery === undefined ? text : text.replace('inter 1s', `inter ${probeEvery}`))
  let output = ''
  let running: ReturnType<typeof spawn> | undefined
  return {
    url: `http://127.0.0.1:${port}`,
    places: { one: { port: one, probe: oneProbe }, two: { port: two, probe: twoProbe } },
    start() {
      const env = {
        ...process.env,
        BALANCER: `127.0.0.1:${port}`,
        CREDENCE_1: `127.0.0.1:${one}`,
        CREDENCE_1_PROBE: String(oneProbe),
        CREDENCE_2: `127.0.0.1:${two}`,
        CREDENCE_2_PROBE: String(twoProbe),
      }
      running = spawn('haproxy', ['-db', '-f', file], { env, stdio: ['ignore', 'pipe', 'ignore'] })
      running.stdout?.setEncoding('utf8').on('data', (said) => {
        output += said
      })
    },
    said: () => [...output.matchAll(/^Server credence\/(\w+ is (?:UP|DOWN))/gm)].map(([, said = '']) => said),
    [Symbol.asyncDispose]: async () => {
      if (running !== undefined && running.exitCode === null && running.signalCode === null) {
        const ended = once(running, 'exit')
        running.kill('SIGKILL')
        await ended
      }
      await rm(directory, { recursive: true, force: true })
    },
  }
}
