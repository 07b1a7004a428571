/** A day as date fields and addresses write it: 2026-01-31. */
const DAY = /^\d{4}-\d\d-\d\d$/

/** A day in an address; undefined for any other value. */
export const dayOf = (value: unknown): string | undefined =>
  typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined

const startOf = (day: string, later = 0): string => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later).toISOString()
}

/** Converts days in the user's time zone to the times `from` and `to` of a list. The last day is included. */
export const momentsOf = ({ from, to }: { readonly from?: string | undefined; readonly to?: string | undefined }) => ({
  ...(from === undefined ? {} : { from: startOf(from) }),
  ...(to === undefined ? {} : { to: startOf(to, 1) }),
})
