import { describe, expect, it } from 'vitest'
import { declaredIn } from '../../client/console/screens/types/beside.js'
import {
  asJson,
  asTable,
  bodyOf,
  draftOf,
  isUnreadable,
  type TypeBody,
} from '../../client/console/screens/types/draft.js'
import { TEMPLATES } from '../../client/console/screens/types/templates/templates.js'
import { type FileFault, readTypeFile, typeFileOf } from '../../client/console/screens/types/type-file.js'
import { createSchema } from '../../server/issuer/schemas/schemas.contract.js'

function published(body: TypeBody): TypeBody {
  const kept = bodyOf(draftOf(body, 'en'))
  if (isUnreadable(kept)) throw new Error(`${kept.wrong} cannot be read.`)
  return kept
}

describe.each(TEMPLATES.map((template) => [template.key, template] as const))('the template %s', (_, { body }) => {
  it('is a type that the service takes, with a name in English and German', () => {
    expect(createSchema.input.safeParse(body).error?.issues).toBeUndefined()
    expect(body.display?.map(({ locale }) => locale)).toEqual(['en', 'de'])
  })

  it('is unchanged in the editor, in the table and in JSON', () => {
    const draft = draftOf(body, 'en')
    expect(draft.mode).toBe('table')
    expect(published(body)).toEqual(body)
    const json = asJson(draft)
    expect(json && bodyOf(json)).toEqual(body)
    const table = json && asTable(json)
    expect(typeof table === 'object' && 'rows' in table && bodyOf(table)).toEqual(body)
  })

  it('has a title in English and German for each claim but the elements of lists', () => {
    const claims = declaredIn(body.schema).filter((path) => path.at(-1) !== null)
    const german = new Set(body.claims?.map(({ path }) => JSON.stringify(path)))
    expect(claims.filter((path) => !german.has(JSON.stringify(path)))).toEqual([])
    expect(draftOf(body, 'en').rows.filter(({ title }) => title === '')).toEqual([])
  })
})

describe('the file of a type', () => {
  it('is exactly the body of the call that makes the type', () => {
    for (const { body } of TEMPLATES) {
      expect(JSON.parse(typeFileOf(body))).toEqual(body)
      expect(readTypeFile(typeFileOf(body))).toEqual({ body })
    }
  })

  const faultsOf = (content: unknown): readonly FileFault[] => {
    const outcome = readTypeFile(typeof content === 'string' ? content : JSON.stringify(content))
    return 'faults' in outcome ? outcome.faults : []
  }
  const schema = { type: 'object', properties: { name: { type: 'string' } } }

  it.each<readonly [string, unknown, FileFault[]]>([
    ['no JSON', '{', [{ fault: 'notJson' }]],
    ['no object', '[]', [{ fault: 'notObject' }]],
    ['larger than the limit', `"${'x'.repeat(2_000_001)}"`, [{ fault: 'tooLarge' }]],
    [
      'without its members',
      {},
      [
        { fault: 'missing', path: 'name' },
        { fault: 'missing', path: 'schema' },
      ],
    ],
    ['with a wrong kind', { name: 1, schema }, [{ fault: 'wrongKind', path: 'name', kind: 'text' }]],
    [
      'with a wrong kind within',
      { name: 'A', schema, display: [{ name: 'A', logo: 'x' }] },
      [{ fault: 'wrongKind', path: 'display.0.logo', kind: 'object' }],
    ],
    ['with an unknown member', { name: 'A', schema, colour: 'red' }, [{ fault: 'unknown', path: 'colour' }]],
    [
      'with an unknown member within',
      { name: 'A', schema, mdoc: { doctype: 'a', namespaces: {}, more: 1 } },
      [{ fault: 'unknown', path: 'mdoc.more' }],
    ],
    [
      'with a setting of a claim that the schema does not have',
      { name: 'A', schema, selectivelyDisclosable: ['name', 'gone'] },
      [{ fault: 'unknown', path: 'selectivelyDisclosable.1' }],
    ],
    [
      'with a name that is no name of a member',
      { name: 'A', schema, constructor: 1 },
      [{ fault: 'unknown', path: 'constructor' }],
    ],
  ])('%s is refused by name', (_, content, faults) => {
    expect(faultsOf(content)).toEqual(faults)
  })

  it('may leave out the version, as a file that a person wrote', () => {
    expect(readTypeFile(JSON.stringify({ name: 'A', schema }))).toEqual({ body: { name: 'A', version: 1, schema } })
  })
})
