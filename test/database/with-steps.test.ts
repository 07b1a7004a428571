import { describe, expect, it } from 'vitest'
import { audited } from '../../server/database/audited.js'
import { fragment, Step } from '../../server/database/fragment.js'
import { statementTexts } from '../../server/database/statement-texts.js'
import { withSteps } from '../../server/database/with-steps.js'

const statementOf = statementTexts(() => '')
const squeezed = (text: string) => text.replace(/\s+/g, ' ').trim()
const textOf = (...args: Parameters<typeof withSteps>) => squeezed(statementOf(withSteps(...args)).text)

const made = () => new Step<'id'>('made', fragment`INSERT INTO things (id) VALUES (${'a'}) RETURNING id`)

describe('the steps of a statement', () => {
  it('come before the statement, each step once and before the steps that read it', () => {
    const first = made()
    const second = new Step<'id'>('second', fragment`SELECT ${first.column('id')} FROM ${first}`)
    const whole = fragment`SELECT id FROM ${second} UNION SELECT id FROM ${first} WHERE id = ${'b'}`
    const { text, values } = statementOf(withSteps(whole))
    expect(squeezed(text)).toBe(
      'WITH "made" AS (INSERT INTO things (id) VALUES ($1) RETURNING id), "second" AS (SELECT "made"."id" FROM "made") ' +
        'SELECT id FROM "second" UNION SELECT id FROM "made" WHERE id = $2',
    )
    expect(values).toEqual(['a', 'b'])
  })

  it('are found in nested parts', () => {
    const step = made()
    const part = fragment`EXISTS (${fragment`SELECT 1 FROM ${step}`})`
    expect(textOf(fragment`SELECT ${part}`)).toMatch(/^WITH "made" AS \(.*\) SELECT EXISTS \(SELECT 1 FROM "made"\)$/)
  })

  it('also run if nothing reads them: a statement or a step can bring them along', () => {
    const step = made()
    const log = audited({ of: step, actor: 'alice', action: 'schema.created', subject: 'thing' })
    const told = new Step('told', fragment`INSERT INTO news SELECT id FROM ${step}`)
    const whole = () => fragment`SELECT id FROM ${step}`
    expect(textOf(whole(), [log])).toMatch(
      /^WITH "made" AS \(.*\), "audited" AS \( INSERT INTO audit_events \(actor, action, subject, subject_id\) SELECT \$2, \$3, \$4, "made"\."id" FROM "made" \) SELECT id FROM "made"$/,
    )
    step.along(told)
    expect(textOf(whole())).toMatch(/^WITH "made" AS \(.*\), "told" AS \(.*\) SELECT id FROM "made"$/)
  })

  it('leave no trace in a statement without steps', () => {
    const whole = fragment`SELECT ${1}`
    expect(withSteps(whole)).toBe(whole)
  })

  it('are refused if two steps have the same name, because one would be read instead of the other', () => {
    const whole = fragment`SELECT 1 FROM ${made()}, ${made()}`
    expect(() => withSteps(whole)).toThrow('Two steps of a statement have one name: made.')
  })

  it('have the same text each time, and the text is made once', () => {
    const texts: string[] = []
    const of = statementTexts((text) => `${texts.push(text)}`)
    const whole = () => {
      const step = made()
      return withSteps(fragment`SELECT ${step.column('id')} FROM ${step}`)
    }
    expect(of(whole()).name).toBe('1')
    expect(of(whole()).name).toBe('1')
    expect(texts).toHaveLength(1)
  })
})
