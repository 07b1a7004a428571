export const count = (n: number, one: string, many: string) => `${n.toLocaleString('de')} ${n === 1 ? one : many}`
