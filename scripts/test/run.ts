import { programOf, runInForeground } from '../launch/run-program.js'

/**
 * `npm test`: runs Vitest with the given arguments. With `--proof`, heavy tests run with their full numbers. With `--sd-dss`,
 * the tests of trusted lists sign them with the European Commission's library, which needs Java and Maven.
 */
export async function run(args: readonly string[]): Promise<void> {
  const env = {
    ...process.env,
    ...(args.includes('--proof') ? { PROOF: '1' } : {}),
    ...(args.includes('--sd-dss') ? { SD_DSS: '1' } : {}),
  }
  const rest = args.filter((argument) => argument !== '--proof' && argument !== '--sd-dss')
  process.exitCode = await runInForeground(programOf('vitest'), ['run', ...rest], env)
}
