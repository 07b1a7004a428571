import { argumentsOf } from './arguments.js'

export interface BenchOptions {
  /** A smoke run: each row is measured once and briefly. */
  readonly quick: boolean
  /** Number of measurements of each row. */
  readonly rounds: number
  /** Seconds of one measurement of one row. */
  readonly seconds: number
  /** Seconds of one turn of load on every row before the measurements. */
  readonly warmUpSeconds: number
  /** Number of open streams; 0 for none. */
  readonly streams: number
  /** Measures only rows whose names contain all of these texts. If there are no texts, all rows are measured. */
  readonly only: readonly string[]
  /** Folder for a CPU profile of the service, made by Node when the service ends. */
  readonly profile: string | undefined
  /** Whether the peers are installed and measured. */
  readonly peers: boolean
  /** Root of another built clone. The rows "in full" measure the services of both clones. */
  readonly against: string | undefined
  /** Number of rows in each growing table of one more installation; 0 for no such installation. */
  readonly rows: number
  /** The version of Node.js that runs all measured programs; by default the version that runs this process. */
  readonly node: string | undefined
  /** Number of processes of the service. */
  readonly processes: number
  /** File for the measurements as JSON. */
  readonly json: string | undefined
  /** Whether the report is kept in results/. */
  readonly save: boolean
}

/** Reads the options of the command line. @throws if an argument is unknown or not a number */
export function readOptions(args: readonly string[]): BenchOptions {
  const values = argumentsOf(args, {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    streams: { type: 'string' },
    'warm-up': { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    profile: { type: 'string' },
    peers: { type: 'boolean', default: false },
    against: { type: 'string' },
    rows: { type: 'string' },
    node: { type: 'string' },
    processes: { type: 'string' },
    json: { type: 'string' },
    save: { type: 'boolean', default: false },
  })
  type Numeric = 'rounds' | 'seconds' | 'warm-up' | 'streams' | 'rows' | 'processes'
  const number = (name: Numeric, least: number, full: number, quick = full): number => {
    const given = values[name]
    const value = given === undefined ? (values.quick ? quick : full) : Number(given || Number.NaN)
    if (!(Number.isFinite(value) && value >= least)) throw new Error(`--${name} must be a number of at least ${least}.`)
    return value
  }
  if (values.node !== undefined && !/^\d+(\.\d+){0,2}$/.test(values.node)) {
    throw new Error('--node must be a version of Node.js, such as 24.')
  }
  return {
    quick: values.quick,
    rounds: Math.ceil(number('rounds', 1, 7, 1)),
    seconds: number('seconds', 0.1, 2, 0.4),
    warmUpSeconds: number('warm-up', 0, 5, 1),
    streams: Math.ceil(number('streams', 0, 5_000, 200)),
    only: values.only.map((text) => text.toLowerCase()),
    profile: values.profile,
    peers: values.peers,
    against: values.against,
    rows: Math.ceil(number('rows', 0, 0)),
    node: values.node,
    processes: Math.ceil(number('processes', 1, 1)),
    json: values.json,
    save: values.save,
  }
}
