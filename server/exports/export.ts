/** The kinds of exports that have a period. */
export const PERIOD_KINDS = ['credentials', 'audit', 'sessions'] as const

export type PeriodKind = (typeof PERIOD_KINDS)[number]

export const EXPORT_KINDS = ['person', ...PERIOD_KINDS] as const

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const

export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Maximum length of a period. */
export const MAX_PERIOD_DAYS = 366

/** Lifetime of an export. */
export const EXPORT_HOURS = 24

/** Number of records that are read at once. With the longest claims, a page takes some 16 MiB. */
export const RECORDS_AT_ONCE = 100

/** A person by one name. */
export type Subject =
  | { readonly did: string; readonly sub?: undefined }
  | { readonly sub: string; readonly did?: undefined }

/** The order of an export: a person, or a kind of records and a period. */
export type Order =
  | { readonly kind: 'person'; readonly subject: Subject }
  | { readonly kind: PeriodKind; readonly from: Date; readonly to: Date; readonly schema: string | null }

/** One record of a file. `record` names its kind. */
export interface ExportRecord {
  readonly record: string
  readonly [member: string]: unknown
}

/** Records, some at a time. */
export type Records = AsyncGenerator<readonly ExportRecord[], void, undefined>

/** ISO 8601; null stays null. */
export const iso = (moment: Date | null): string | null => moment?.toISOString() ?? null
