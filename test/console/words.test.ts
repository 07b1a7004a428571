import { describe, expect, it } from 'vitest'
import { de } from '../../client/console/texts/de.js'
import { en } from '../../client/console/texts/en.js'
import { es } from '../../client/console/texts/es.js'
import { fr } from '../../client/console/texts/fr.js'
import { it as italian } from '../../client/console/texts/it.js'
import { TRUST_LIST_TEXTS } from '../../client/console/texts/trust-lists/load.js'
import { AUDIT_ACTIONS } from '../../server/database/audit-actions.js'
import { TRUST_LIST_CHECKS } from '../../server/trust/list-check.js'
import { CHECKS, PASSED } from '../../server/verifier/verify/check-done.js'

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

  it('for each check of the service, and for no other check: its name, advice, and what it found', () => {
    expect([...CHECKS].sort()).toEqual(Object.keys(PASSED).sort())
    const { names, advice, passed, failed } = texts.checks
    for (const words of [names, advice, passed, failed]) expect(Object.keys(words).sort()).toEqual([...CHECKS].sort())
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
