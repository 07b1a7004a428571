export const plural = new Intl.PluralRules('es')

export const number = (n: number) => n.toLocaleString('es')

/** A number with its noun. Spanish puts «de» between a whole number of millions and its noun. */
export const count = (n: number, one: string, many: string) =>
  `${number(n)} ${n === 1 ? one : plural.select(n) === 'many' ? `de ${many}` : many}`
