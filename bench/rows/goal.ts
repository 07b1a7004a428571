/** The goal of a row. Ratios and differences are computed within each round, because the machine then had the same load for both rows. */
export type Goal =
  /** Operations a second, as a share of another row's rate. */
  | { readonly kind: 'rate'; readonly of: string; readonly atLeast: number }
  /** CPU time of one operation, in milliseconds. */
  | { readonly kind: 'cpu'; readonly atMostMs: number }
  /** The allowed additional CPU time over another row. */
  | { readonly kind: 'cpuOver'; readonly of: string; readonly atMostMs: number }
  /** CPU time of one operation, as a multiple of another row's CPU time. */
  | { readonly kind: 'cpuRatio'; readonly of: string; readonly atMost: number }
  /** The same, including PostgreSQL's CPU time. */
  | { readonly kind: 'workRatio'; readonly of: string; readonly atMost: number }

/** The name of the row that a goal compares with. */
export const baseOf = (goal: Goal): string | undefined => ('of' in goal ? goal.of : undefined)
