import pg from 'pg'

/**
 * A prepared statement of PostgreSQL. It has the number of executions with the reused plan, and the number of
 * executions with plans for specific values.
 */
export interface PlanCounts {
  readonly statement: string
  readonly generic: number
  readonly custom: number
}

/** Starts to collect the statements of this process. */
export function recordPlans(): { read(): Promise<PlanCounts[]>; stop(): void } {
  const send = pg.Client.prototype.query
  const clients = new Set<pg.Client>()
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    clients.add(this)
    return Reflect.apply(send, this, args)
  } as typeof send
  return {
    read: async () => {
      const counts = await Promise.all(
        [...clients].map((client) =>
          client.query<PlanCounts>(
            'SELECT statement, generic_plans::int AS generic, custom_plans::int AS custom FROM pg_prepared_statements',
          ),
        ),
      )
      return counts.flatMap(({ rows }) => rows)
    },
    stop: () => {
      pg.Client.prototype.query = send
    },
  }
}

/**
 * PostgreSQL first plans a statement five times for its specific values. Then it compares these plans with a plan for
 * any values.
 */
const PLANS_BEFORE_ANY = 5

/** Finds the statements that ran more than five times but are still planned for their values each time. */
export const plannedAnew = (counts: readonly PlanCounts[]): string[] =>
  counts.filter(({ custom }) => custom > PLANS_BEFORE_ANY).map(({ statement }) => statement)
