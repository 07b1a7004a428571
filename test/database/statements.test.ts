import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tour } from '../http/tour.js'
import { walletClients } from '../http/wallet-clients.js'
import { startService } from '../support/service.js'
import { LOOPBACK } from '../support/wallet.js'
import { collectStatements, printedStatements, printStatements } from './printed-statements.js'

const collected = collectStatements()

beforeAll(async () => {
  const service = await startService({ env: { ...LOOPBACK, WALLET_CLIENTS: walletClients() }, maintenance: false })
  await tour(service)
  await service.close()
  collected.stop()
  if (process.env.UPDATE_STATEMENTS === 'true') printStatements(collected.statements)
})
afterAll(() => collected.stop())

/**
 * `UPDATE_STATEMENTS=true npx vitest run --project service test/database/statements.test.ts` writes the expected
 * statements again.
 */
describe('each statement that a tour of all operations makes', () => {
  it('equals its file in test/database/statements, by store and function', () => {
    const printed = printedStatements()
    for (const [asker, texts] of collected.statements) {
      for (const text of texts) expect(printed.get(asker) ?? new Set(), asker).toContain(text)
    }
  })

  it('has no outdated file', () => {
    for (const [asker, texts] of printedStatements()) {
      const made = collected.statements.get(asker)
      // Statements that a timer sends. They may or may not be sent during a tour.
      if (made !== undefined) expect([...made].sort(), asker).toEqual([...texts].sort())
    }
  })
})
