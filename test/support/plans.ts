import pg from 'pg'

/** A statement that PostgreSQL keeps prepared, and how often it was run by its kept plan and by one made for its values. */
export interface PlanCounts {
  readonly statement: string
  readonly generic: number
  readonly custom: number
}

/** The statements of this process from now on. */
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

/** PostgreSQL makes five plans for the values of a statement before it compares them with one for any. */
const PLANS_BEFORE_ANY = 5

/** Statements that ran more often than that, but are still planned again for their values. */
export const plannedAnew = (counts: readonly PlanCounts[]): string[] =>
  counts.filter(({ custom }) => custom > PLANS_BEFORE_ANY).map(({ statement }) => statement)
