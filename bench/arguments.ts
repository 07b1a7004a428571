import { type ParseArgsConfig, parseArgs } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>
type Values<Of extends Options> = ReturnType<typeof parseArgs<{ args: string[]; options: Of }>>['values']

/**
 * Reads the values of a command's options.
 *
 * @throws if an option is unknown, also for `--help`; the message names all options
 */
export function argumentsOf<const Of extends Options>(args: readonly string[], options: Of): Values<Of> {
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    const names = Object.entries(options).map(([name, { type }]) => (type === 'string' ? `--${name} …` : `--${name}`))
    const said = error instanceof Error ? error.message.split(/\.\s/)[0] : String(error)
    throw new Error(`${said}. There are ${names.join(', ')}; bench/README.md says what they mean.`)
  }
}
