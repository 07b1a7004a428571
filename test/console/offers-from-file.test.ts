import { describe, expect, it } from 'vitest'
import { MAX_BYTES, MAX_ROWS, madeSheet, readSheet, type Sheet } from '../../client/console/screens/offers/many/csv.js'
import { guessed, readRow } from '../../client/console/screens/offers/many/rows.js'
import { titlesOf } from '../../client/console/ui/claim-titles.js'
import { controlsOf, planOf } from '../../client/console/ui/schema-form/plan.js'

const bytesOf = (text: string): ArrayBuffer => new Uint8Array(Buffer.from(text, 'utf8')).buffer
const sheetOf = (text: string): Sheet => {
  const read = readSheet(bytesOf(text))
  if ('fault' in read) throw new Error(`The sheet is wrong: ${read.fault}.`)
  return read
}

describe('a file of comma-separated values (RFC 4180) is read', () => {
  it('with quoted cells that contain commas, line breaks and quotation marks', () => {
    const { columns, rows } = sheetOf('name,note\r\n"Meyer, Anna","says ""hello""\r\ntwice"\r\nBen,\r\n')
    expect(columns).toEqual(['name', 'note'])
    expect(rows).toEqual([
      { number: 2, cells: ['Meyer, Anna', 'says "hello"\r\ntwice'] },
      { number: 3, cells: ['Ben', ''] },
    ])
  })

  it.each([
    ['semicolons', 'name;level\nAnna;gold\n'],
    ['tabs', 'name\tlevel\nAnna\tgold\n'],
    ['a byte order mark', '\uFEFFname,level\nAnna,gold\n'],
  ])('with %s', (_, text) => {
    expect(sheetOf(text)).toEqual({ columns: ['name', 'level'], rows: [{ number: 2, cells: ['Anna', 'gold'] }] })
  })

  it('in the code page of a spreadsheet that does not write UTF-8', () => {
    const read = readSheet(new Uint8Array(Buffer.from('name\nJ\u00fcrgen\n', 'latin1')).buffer)
    expect(read).toMatchObject({ rows: [{ cells: ['J\u00fcrgen'] }] })
  })

  it('without its blank rows; the other rows keep their numbers in the spreadsheet', () => {
    expect(sheetOf('name,level\n\nAnna,gold\n , \nBen,silver\n').rows.map(({ number }) => number)).toEqual([3, 5])
  })

  it('up to its bounds', () => {
    expect(sheetOf(`name\n${'Anna\n'.repeat(MAX_ROWS)}`).rows).toHaveLength(MAX_ROWS)
    expect(readSheet(bytesOf(`name\n${'Anna\n'.repeat(MAX_ROWS + 1)}`))).toEqual({ fault: 'tooMany' })
    expect(readSheet(new ArrayBuffer(MAX_BYTES + 1))).toEqual({ fault: 'tooLarge' })
  })

  it.each(['', 'name,level\n', 'name,level\n,\n'])('but not if it has no rows: %j', (text) => {
    expect(readSheet(bytesOf(text))).toEqual({ fault: 'noRows' })
  })

  it('but not with a quotation mark that does not end; the error names the row', () => {
    expect(readSheet(bytesOf('name,level\nAnna,gold\n"Ben,silver\n'))).toEqual({ fault: 'quotes', row: 3 })
  })
})

it('a spreadsheet reads no cell of the downloaded file as a formula', () => {
  const sheet = sheetOf('name,note\n=1+1,@SUM(A1)\n+49,-2\n')
  const made = sheet.rows.map((row) => ({ row, link: 'openid-credential-offer://?a=b', page: '', pin: '0123' }))
  const [head, ...lines] = madeSheet(sheet, made, ['Link', 'Page', 'PIN']).split('\r\n')
  expect(head).toBe('name,note,Link,Page,PIN')
  expect(lines).toHaveLength(2)
  for (const cell of lines.flatMap((line) => line.split(','))) expect(cell).not.toMatch(/^"?[=+\-@]/)
})

describe('a row becomes claims', () => {
  const schemaBody = {
    type: 'object',
    required: ['level'],
    properties: {
      level: { type: 'string', title: 'Level', enum: ['gold', 'silver'] },
      points: { type: 'integer', title: 'Points' },
      active: { type: 'boolean', title: 'Active' },
    },
  }
  const parts = planOf(schemaBody, titlesOf({ schemaBody }, 'en'))
  const columns = ['POINTS', 'level', 'Active']
  const mapping = guessed(controlsOf(parts), columns)
  const read = (...cells: string[]) => readRow(parts, mapping, { number: 7, cells })

  it('by the names of its columns, in any spelling', () => {
    const places = controlsOf(parts).map(({ field, title }) => [title, mapping[field]])
    expect(Object.fromEntries(places)).toEqual({ Level: 1, Points: 0, Active: 2 })
  })

  it('with values of the types of the claims', () => {
    expect(read('12', ' silver ', 'ja')).toMatchObject({
      subject: { level: 'silver', points: 12, active: true },
      faults: [],
    })
  })

  it.each(['9007199254740993', '-1e17', '18446744073709551615'])(
    'without rounding of large integers, so that the service refuses them by name: %s',
    (cell) => {
      expect(Number.isSafeInteger(read(cell, 'gold', '').subject.points)).toBe(false)
    },
  )

  it('and each invalid cell is named, with its row in the spreadsheet', () => {
    const { row, faults } = read('many', 'bronze', 'perhaps')
    expect(row.number).toBe(7)
    expect(faults).toEqual([
      { label: 'Level', fault: 'choice' },
      { label: 'Points', fault: 'number' },
      { label: 'Active', fault: 'boolean' },
    ])
    expect(read('1', '', 'no').faults).toEqual([{ label: 'Level', fault: 'required' }])
  })
})
