/** A day in the form of date fields and addresses. */
const DAY = /^\d{4}-\d\d-\d\d$/

/** A day in an address; undefined for any other value. */
export const dayOf = (value: unknown): string | undefined =>
  typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined

const startOf = (day: string, later = 0): string => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later).toISOString()
}

/** The moments of a list's `from` and `to`, for days in the user's time zone. The last day is included. */
export const momentsOf = ({ from, to }: { readonly from?: string | undefined; readonly to?: string | undefined }) => ({
  ...(from === undefined ? {} : { from: startOf(from) }),
  ...(to === undefined ? {} : { to: startOf(to, 1) }),
})
