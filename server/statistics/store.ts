import { z } from 'zod'
import type { Database } from '../database/connect.js'

import { counts } from './counts.js'

/** The length of one step. */
export type Step = 'hour' | 'day'

const zCounted = z.strictObject({
  at: z.date(),
  measure: z.string(),
  detail: z.string(),
  count: z.int(),
})

/** A counter of an hour or a day. */
export type Counted = z.infer<typeof zCounted>

const zShare = z.strictObject({
  measure: z.string(),
  type: z.string(),
  detail: z.string(),
  count: z.int(),
})

export type Share = z.infer<typeof zShare>

const zFolded = z.strictObject({ count: z.int(), first: z.date().nullable(), more: z.boolean() })

const zComplete = z.strictObject({ at: z.date() })

/**
 * The highest number of stored gaps (missing event numbers). If there are more, no new events are counted until some
 * gaps are closed.
 */
const MAX_GAPS = 10_000
/**
 * Seconds after which the service begins to watch a missing number: it records which transactions are open and could
 * still write this number.
 */
const GAP_SECONDS = 10
/** The highest number of entries in `shares` of the answer. The largest entries are first. */
const MAX_SHARES = 200

export type StatisticsStore = ReturnType<typeof createStatisticsStore>

export function createStatisticsStore({ sql, bounded }: Database) {
  return {
    /**
     * Counts the next audit events: at most `limit` new events and `limit` late events. The same statement stores the
     * progress, so each event is counted once, even after a crash. If two processes count at the same time, the second
     * process finds the row locked and does nothing.
     *
     * An event gets its number when it is written, and becomes visible when it is committed. So numbers below the
     * highest number may appear later, and missing numbers are stored as gaps. After some seconds the gap is watched:
     * the gap stays until all transactions have ended that were open at that time. The transaction that has taken the
     * missing number has begun to write, so it is one of these transactions. After these transactions have ended, the
     * number cannot appear any more, and the gap is no longer watched. If the database was restored from a dump,
     * `watched_before` can be a number that this server has not reached. In this case the gap is no longer watched
     * either.
     */
    async fold(now: Date, limit: number): Promise<z.infer<typeof zFolded>> {
      const [row] = await sql(zFolded)`
        WITH progress AS (SELECT * FROM statistics_progress FOR UPDATE SKIP LOCKED),
        fresh AS MATERIALIZED (
          SELECT a.id, a.at, a.action, a.subject_id FROM progress p
          CROSS JOIN LATERAL (SELECT * FROM audit_events WHERE id > p.high ORDER BY id LIMIT ${limit}) a
          WHERE (SELECT count(*) FROM unnest(p.gaps + p.watched)) < ${MAX_GAPS}::int),
        late AS MATERIALIZED (
          SELECT a.id, a.at, a.action, a.subject_id FROM progress p
          CROSS JOIN LATERAL unnest(p.gaps + p.watched) AS gap(numbers)
          CROSS JOIN LATERAL (
            SELECT * FROM audit_events WHERE id >= lower(gap.numbers) AND id < upper(gap.numbers) ORDER BY id LIMIT ${limit}) a
          LIMIT ${limit}),
        seen AS MATERIALIZED (SELECT * FROM fresh UNION ALL SELECT * FROM late),
        ${counts},
        written AS (
          INSERT INTO statistics AS s (step, at, measure, type, detail, count)
          SELECT steps.step, date_trunc(steps.step, c.at, 'UTC'), c.measure, c.type, c.detail, count(*)
          FROM counts c CROSS JOIN (VALUES ('hour'), ('day')) AS steps(step) GROUP BY 1, 2, 3, 4, 5
          ON CONFLICT (step, at, measure, type, detail) DO UPDATE SET count = s.count + EXCLUDED.count),
        found AS (
          SELECT COALESCE((SELECT max(id) FROM fresh), p.high) AS high,
            COALESCE((SELECT range_agg(int8range(id, id + 1)) FROM seen), '{}') AS numbers,
            (SELECT count(*) FROM fresh) >= ${limit} OR (SELECT count(*) FROM late) >= ${limit} AS more,
            (SELECT count(*) FROM late) < ${limit} AND (p.watched_before <= pg_snapshot_xmin(pg_current_snapshot())
              OR p.watched_before > pg_snapshot_xmax(pg_current_snapshot())) AS over
          FROM progress p),
        moved AS (
          UPDATE statistics_progress s SET high = f.high,
            gaps = CASE WHEN f.over THEN '{}' ELSE p.gaps - f.numbers END
              + (int8multirange(int8range(p.high + 1, f.high + 1)) - f.numbers),
            watched = CASE WHEN f.over THEN p.gaps ELSE p.watched END - f.numbers,
            watched_at = CASE WHEN f.over THEN ${now}::timestamptz ELSE p.watched_at END,
            watched_before = CASE
              WHEN f.over THEN NULL
              WHEN p.watched_before IS NULL AND p.watched_at <= ${now}::timestamptz - make_interval(secs => ${GAP_SECONDS}::int)
                THEN pg_snapshot_xmax(pg_current_snapshot())
              ELSE p.watched_before END,
            complete_at = CASE WHEN f.more THEN p.complete_at ELSE ${now}::timestamptz END
          FROM progress p, found f WHERE s.id = p.id)
        SELECT (SELECT count(*)::int FROM seen) AS count, (SELECT min(at) FROM seen) AS first, more FROM found`
      return row ?? { count: 0, first: null, more: false }
    },

    /** Returns the counters of each hour or day of a period, for all types together. */
    steps: (step: Step, from: Date, to: Date): Promise<Counted[]> =>
      bounded(zCounted)`
        SELECT at, measure, detail, sum(count)::int AS count FROM statistics
        WHERE step = ${step} AND at >= ${from} AND at < ${to} AND measure <> 'issuedIn' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,

    /**
     * Returns the issued credentials of a period by type and format, and the failed checks of the period. The most
     * frequent entries are first.
     */
    shares: (step: Step, from: Date, to: Date): Promise<Share[]> =>
      bounded(zShare)`
        SELECT measure, type, detail, count FROM (
          SELECT measure, type, detail, sum(count)::int AS count,
            row_number() OVER (PARTITION BY measure ORDER BY sum(count) DESC, type, detail) AS place
          FROM statistics
          WHERE step = ${step} AND at >= ${from} AND at < ${to} AND measure IN ('issuedIn', 'failedChecks') GROUP BY 1, 2, 3) ranked
        WHERE place <= ${MAX_SHARES} ORDER BY measure, place`,

    /** Returns the time up to which all events have been counted. */
    async completeAt(): Promise<Date> {
      const [row] = await sql(zComplete)`SELECT complete_at AS at FROM statistics_progress`
      return row?.at ?? new Date(0)
    },
  }
}
