import { readFile } from 'node:fs/promises'
import { zStoredEvidence } from '../server/verifier/evidence/package.js'
import { checkEvidence } from './verify-evidence/check.js'

/**
 * `npm run verify-evidence FILE`: makes every check of a wallet's answer again. It uses only the package that `GET
 * /api/v1/verification-sessions/{id}/evidence` returned, and neither a database nor a network. The program exits
 * with 1 if the outcome of a check differs from the recorded outcome, or if the package does not prove the recorded
 * outcome of the session.
 */
async function run([file]: readonly string[]): Promise<boolean> {
  if (file === undefined) throw new Error('Name the file: npm run verify-evidence FILE')
  const evidence = zStoredEvidence.parse(JSON.parse(await readFile(file, 'utf8')))
  let isProven = true
  for await (const { name, failure } of checkEvidence(evidence)) {
    isProven &&= failure === undefined
    process.stdout.write(failure === undefined ? `✓ ${name}\n` : `✗ ${name}: ${failure}\n`)
  }
  return isProven
}

try {
  process.exitCode = (await run(process.argv.slice(2))) ? 0 : 1
} catch (thrown) {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : thrown}\n`)
  process.exitCode = 1
}
