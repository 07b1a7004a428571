import { cpus, loadavg, release, totalmem } from 'node:os'

/** Describes the machine and its load. */
export function machine(): string {
  const processors = cpus()
  const [load = 0] = loadavg()
  const model = processors[0]?.model ?? 'unknown processor'
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`
  return `${processors.length} × ${model}, ${memory}, Linux ${release()}, load average ${load.toFixed(1)}`
}
