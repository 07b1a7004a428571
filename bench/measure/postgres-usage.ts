import type { Client } from 'pg'
import { cpuMs, parentOf } from './process-usage.js'

/** The processor time and the commits of a PostgreSQL server since its start. */
export interface PostgresUsage {
  /** CPU time of all processes of the server; NaN if the server is on another machine. */
  readonly cpuMs: number
  /** The number of transactions that wrote something, in all databases. */
  readonly commits: number
}

/** @returns a function that reads the usage over this connection */
export async function usageReader(client: Client): Promise<() => Promise<PostgresUsage>> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const server = parentOf(rows[0]?.pid ?? 0, 'postgres')
  return async () => {
    const read = await client.query<{ next: string }>('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next')
    return { cpuMs: server === undefined ? Number.NaN : cpuMs(server), commits: Number(read.rows[0]?.next) }
  }
}
