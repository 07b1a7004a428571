/** The longest text that the service searches for. */
const MAX_NAME = 200

/** The search of the entities in an address. The router parses a value of digits as a number. */
export function entitySearch({ name }: Readonly<Record<string, unknown>>): { name?: string } {
  const text = typeof name === 'string' || typeof name === 'number' ? String(name).trim().slice(0, MAX_NAME) : ''
  return text === '' ? {} : { name: text }
}
