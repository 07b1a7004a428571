import pg from 'pg'

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Plan[]
}

/** How PostgreSQL reads a table in a statement. */
export interface Scan {
  /** The kind of scan and the index, such as `Index Scan credentials_active_idx`. */
  readonly name: string
  readonly table: string
  /** Rows that the scan read, in all its loops. */
  readonly rows: number
}

export interface ReadPlan {
  readonly found: number
  readonly scans: readonly Scan[]
  /** The number of pages of 8 KiB that the scan read. */
  readonly pages: number
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const scanOf = (node: Plan, table: string): Scan => ({
  name: `${node['Node Type']} ${node['Index Name'] ?? table}`,
  table,
  rows:
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) *
    node['Actual Loops'],
})

/**
 * Finds how PostgreSQL reads the tables of a statement. It runs the statement that this process has sent again, with
 * EXPLAIN.
 */
export function planReader(client: pg.Client) {
  const send = pg.Client.prototype.query
  return async (read: () => Promise<readonly unknown[]>): Promise<ReadPlan> => {
    const sent: { text: string; values: unknown[] }[] = []
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      const [query] = args
      if (typeof query === 'object') sent.push(query as (typeof sent)[number])
      return Reflect.apply(send, this, args)
    } as typeof send
    const { length: found } = await read().finally(() => {
      pg.Client.prototype.query = send
    })
    const [statement] = sent
    if (statement === undefined) throw new Error('Nothing was asked for.')
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement.text}`,
      statement.values,
    )
    const [explained] = rows[0]?.['QUERY PLAN'] ?? []
    if (explained === undefined) throw new Error('PostgreSQL explained nothing.')
    const { Plan: plan } = explained
    return {
      found,
      scans: nodesOf(plan).flatMap((node) => {
        const table = node['Relation Name']
        return table === undefined ? [] : [scanOf(node, table)]
      }),
      pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
    }
  }
}
