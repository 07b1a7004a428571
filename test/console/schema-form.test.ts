import { describe, expect, it } from 'vitest'
import { controlsOf, planOf, subjectOf } from '../../client/console/ui/schema-form/plan.js'
import demonstration from '../../prisma/seed/proof-of-purchase.json' with { type: 'json' }

/** Fills in the controls of a schema. The texts are given by the dotted paths of the claims. */
function filled(schema: Readonly<Record<string, unknown>>, typed: Readonly<Record<string, string>>) {
  const parts = planOf(schema)
  const controls = controlsOf(parts)
  const byField = Object.fromEntries(controls.map(({ field, path }) => [field, typed[path.join('.')]]))
  const { subject, faults } = subjectOf(parts, byField)
  const pathOf = (field: string) => controls.find((control) => control.field === field)?.path.join('.')
  return { subject, faults: [...faults].map(([field, fault]) => `${pathOf(field)}: ${fault}`) }
}

const one = (property: unknown, typed: string) => {
  const { subject, faults } = filled({ properties: { claim: property } }, { claim: typed })
  return faults.length > 0 ? faults : subject.claim
}

describe('the form of a schema', () => {
  it.each([
    [{ type: 'string' }, ' text ', 'text'],
    [{ type: 'string', format: 'date' }, '2026-03-01', '2026-03-01'],
    [{ type: 'string', format: 'time' }, '12:30', '12:30:00Z'],
    [{ type: 'number' }, '1.5', 1.5],
    [{ type: 'number' }, 'much', ['claim: number']],
    [{ type: 'integer' }, '0', 0],
    [{ type: 'boolean' }, 'false', false],
    [{ enum: ['a', 2, null] }, '1', 2],
    [{ type: 'array', items: { type: 'string' } }, 'a\n\n b \n', ['a', 'b']],
    [{ type: 'array', items: { type: 'integer' } }, '1\n2', [1, 2]],
    [{ type: 'array', items: { type: 'object' } }, '[{"a":1}]', [{ a: 1 }]],
    [{ type: ['string', 'integer'] }, '"x"', 'x'],
    [{ type: ['string', 'integer'] }, 'x', ['claim: json']],
    [{ anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] }, '2026-03-01', '2026-03-01'],
    [{ oneOf: [{ const: 'low' }, { const: 3 }] }, '1', 3],
    [{ allOf: [{ type: 'array' }, { items: { type: 'integer' } }] }, '1\nmany', ['claim: number']],
    [{ type: 'string' }, '', undefined],
  ])('of %j converts %j to: %j', (property, typed, value) => {
    expect(one(property, typed)).toEqual(value)
  })

  it('leaves out empty optional groups, and requires none of their claims', () => {
    const typed = { productName: 'Mill', merchant: 'Shop', purchaseDate: '2026-03-01' }
    expect(filled(demonstration.schema, typed)).toEqual({ subject: typed, faults: [] })
    const begun = filled(demonstration.schema, { ...typed, 'price.amount': '7' })
    expect(begun.faults).toEqual(['price.currency: required'])
    expect(filled(demonstration.schema, {}).faults).toEqual([
      'productName: required',
      'merchant: required',
      'purchaseDate: required',
    ])
  })

  it('asks for claims behind references and combinations, as the service’s own form does', () => {
    const schema = {
      $ref: '#/definitions/named',
      allOf: [{ properties: { age: { type: 'integer' } }, required: ['age'] }],
      properties: { home: { anyOf: [{ $ref: '#/definitions/address' }, { type: 'null' }] } },
      definitions: {
        named: { properties: { name: { type: 'string' } }, required: ['name'] },
        address: { type: 'object', properties: { city: { type: 'string' } } },
      },
    }
    const typed = { name: 'Ada', age: '36', 'home.city': 'Turin' }
    expect(filled(schema, typed)).toEqual({
      subject: { name: 'Ada', age: 36, home: { city: 'Turin' } },
      faults: [],
    })
    expect(filled(schema, {}).faults).toEqual(['name: required', 'age: required'])
  })

  it('accepts names with a meaning for forms and for JavaScript', () => {
    const schema = { properties: { 'a.b[0]': { type: 'string' }, toString: { type: 'string' } } }
    const [dotted, method] = controlsOf(planOf(schema))
    const { subject } = subjectOf(planOf(schema), { [dotted?.field ?? '']: 'x', [method?.field ?? '']: 'y' })
    expect(Object.entries(subject)).toEqual([
      ['a.b[0]', 'x'],
      ['toString', 'y'],
    ])
  })
})
