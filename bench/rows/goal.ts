/**
 * The goal of a row. Ratios and differences are computed within each round, because the load of the machine is most
 * alike for two rows of the same round.
 */
export type Goal =
  /** Operations a second, as a share of the operations a second of row `of`. */
  | { readonly kind: 'rate'; readonly of: string; readonly atLeast: number }
  /** CPU time of one operation, in milliseconds. */
  | { readonly kind: 'cpu'; readonly atMostMs: number }
  /** CPU time of one operation in addition to the CPU time of row `of`, in milliseconds. */
  | { readonly kind: 'cpuOver'; readonly of: string; readonly atMostMs: number }
  /** CPU time of one operation, as a multiple of the CPU time of row `of`. */
  | { readonly kind: 'cpuRatio'; readonly of: string; readonly atMost: number }
  /** As `cpuRatio`, but with PostgreSQL's CPU time included for both rows. */
  | { readonly kind: 'workRatio'; readonly of: string; readonly atMost: number }

/** The name of the row with which a goal compares. */
export const baseOf = (goal: Goal): string | undefined => ('of' in goal ? goal.of : undefined)
