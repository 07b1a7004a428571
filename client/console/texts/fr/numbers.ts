export const number = (n: number) => n.toLocaleString('fr')

/** A number with its noun. French uses the singular for 0 and 1. */
export const count = (n: number, one: string, many: string) => `${number(n)} ${n < 2 ? one : many}`
