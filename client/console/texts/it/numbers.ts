export const count = (n: number, one: string, many: string) => `${n.toLocaleString('it')} ${n === 1 ? one : many}`
