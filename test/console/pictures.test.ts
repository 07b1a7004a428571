import { describe, expect, it } from 'vitest'
import { titlesOf } from '../../client/console/ui/claim-titles.js'
import { planOf } from '../../client/console/ui/schema-form/plan.js'
import { MAX_PICTURE, pictureOf } from '../../server/protocol/credential-card/picture.js'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('a claim that holds an image', () => {
  it.each([
    ['a data URI', `data:image/png;base64,${PNG}`],
    ['base64', PNG],
    ['base64url, as in a mobile document', PNG.replaceAll('+', '-').replaceAll('/', '_')],
  ])('is shown as a picture: %s', (_, text) => {
    expect(pictureOf(text)).toBe(`data:image/png;base64,${PNG}`)
  })

  it.each([
    'Ada',
    'iVBORw0KGgo',
    `javascript:${PNG}`,
    `https://example.org/${PNG}`,
    'data:image/svg+xml;base64,PHN2Zy8+PHN2Zy8+PHN2Zy8+PHN2Zy8+PHN2Zy8+PHN2Zy8+',
    `data:text/html;base64,${PNG}`,
    `data:image/gif;base64,${PNG}`,
    'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
    `${PNG}" onerror="alert(1)`,
  ])('any other text is shown as text: %s', (text) => {
    expect(pictureOf(text)).toBeUndefined()
  })

  it('longer than the limit is shown as text', () => {
    const text = (characters: number) => 'iVBORw0KGgo'.padEnd(characters, 'A')
    expect(pictureOf(text(MAX_PICTURE))).toBeDefined()
    expect(pictureOf(text(MAX_PICTURE + 1))).toBeUndefined()
  })

  it('has a field for a file in the form of an offer, and no other claim has', () => {
    const schema = {
      type: 'object',
      properties: {
        picture: { type: 'string', format: 'uri', pattern: '^data:image/' },
        portrait: { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/jpeg' },
        bytes: { type: 'string', contentEncoding: 'base64' },
        site: { type: 'string', format: 'uri' },
      },
    }
    const images = planOf(schema).map((part) => (part.kind === 'group' ? undefined : part.image))
    expect(images).toEqual(['dataUri', 'base64', undefined, undefined])
  })
})

it('the title of a value is no title of its claim', () => {
  const level = { oneOf: [{ const: 'g', title: 'Gold' }, { const: 's' }] }
  const day = { anyOf: [{ type: 'string', title: 'Day' }, { type: 'null' }] }
  const schemaBody = { type: 'object', properties: { level, named: { ...level, title: 'Level' }, day } }
  expect([...titlesOf({ schemaBody }, 'en').values()]).toEqual(['Level', 'Day'])
})

it('the form of an offer shows the titles of values', () => {
  const level = { oneOf: [{ const: 'g', title: 'Gold' }, { const: 's' }] }
  const [part] = planOf({ type: 'object', properties: { level: { type: 'string', ...level } } })
  expect(part).toMatchObject({ kind: 'choice', choices: ['g', 's'], choiceTitles: ['Gold', undefined] })
})
