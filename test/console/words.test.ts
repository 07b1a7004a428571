import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { de } from '../../client/console/texts/de.js'
import { en } from '../../client/console/texts/en.js'
import { es } from '../../client/console/texts/es.js'
import { fr } from '../../client/console/texts/fr.js'
import { it as italian } from '../../client/console/texts/it.js'
import { TRUST_LIST_TEXTS } from '../../client/console/texts/trust-lists/load.js'
import { AUDIT_ACTIONS } from '../../server/database/audit-actions.js'
import { LIST_CHECKS } from '../../server/protocol/trust-lists/read-list.js'
import type { FetchCheck } from '../../server/trust/fetch-list.js'
import { PASSED } from '../../server/verifier/verify/check-done.js'

/** The checks of a list before its content is read. */
const FETCH_CHECKS: Readonly<Record<FetchCheck, true>> = { unreachable: true, 'too-slow': true, 'too-large': true }

/** Every check that the service can name for a list: of its content, of its address, and of its state. */
const TRUST_LIST_CHECKS = new Set([...LIST_CHECKS, ...Object.keys(FETCH_CHECKS), ...checksOfState()])

/** The names that the service itself gives to a list that it has not read, cannot read, or may no longer use. */
function checksOfState(): string[] {
  const files = readdirSync('server/trust', { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  )
  const code = files.map((path) => readFileSync(`server/trust/${path}`, 'utf8')).join('\n')
  const found = [
    ...code.matchAll(/\bcheck: '([a-z-]+)'/g),
    ...code.matchAll(/\bcheck = [^\n]*\? '([a-z-]+)' :/g),
    ...code.matchAll(/\bcheck = [^\n]* : '([a-z-]+)'/g),
    ...code.matchAll(/documents\.fail\(taken\.id, '([a-z-]+)'/g),
  ].map(([, name = '']) => name)
  expect(found).toEqual(expect.arrayContaining(['not-read', 'out-of-date', 'not-confirmed', 'failed']))
  return found
}

describe.each([
  ['English', en],
  ['German', de],
  ['French', fr],
  ['Spanish', es],
  ['Italian', italian],
])('the console in %s has words', (_, texts) => {
  it('for each audit action, and for no other action', () => {
    expect(Object.keys(texts.audit.actions).sort()).toEqual([...AUDIT_ACTIONS].sort())
  })

  it('for each check, and for no other check', () => {
    expect(Object.keys(texts.checks.names).sort()).toEqual(Object.keys(PASSED).sort())
  })

  it('that are no codes, and differ for each action and each check', () => {
    for (const words of [texts.audit.actions, texts.checks.names].map((each) => Object.values<string>(each))) {
      expect(words.filter((text) => !/^\p{Lu}/u.test(text) || /[._]/.test(text))).toEqual([])
      expect(new Set(words).size).toBe(words.length)
    }
  })
})

describe.each(Object.entries(TRUST_LIST_TEXTS))('the texts of trusted lists in %s', (_, load) => {
  it('have a sentence for each check of a list, and for no other check', async () => {
    const { checks } = (await load()).lists
    expect(Object.keys(checks).sort()).toEqual([...TRUST_LIST_CHECKS].sort())
    const sentences = Object.values<string>(checks)
    expect(sentences.filter((text) => !/^\p{Lu}.*\.$/u.test(text))).toEqual([])
    expect(new Set(sentences).size).toBe(sentences.length)
  })
})
