import { programOf, runInForeground } from '../launch/run-program.js'

/** `npm test`: runs Vitest with the given arguments. With `--proof`, heavy tests run with their full numbers. */
export async function run(args: readonly string[]): Promise<void> {
  const proof = args.includes('--proof')
  const env = proof ? { ...process.env, PROOF: '1' } : process.env
  const rest = args.filter((argument) => argument !== '--proof')
  process.exitCode = await runInForeground(programOf('vitest'), ['run', ...rest], env)
}
