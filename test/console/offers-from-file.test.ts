import { describe, expect, it } from 'vitest'
import { resultTable } from '../../client/console/screens/offers/batches/result-table.js'
import { MAX_BYTES, MAX_ROWS, madeSheet, readSheet, type Sheet } from '../../client/console/screens/offers/many/csv.js'
import {
  dateIn,
  momentIn,
  numberIn,
  readingOf,
  separatorOf,
  timeIn,
} from '../../client/console/screens/offers/many/reading.js'
import { guessed, missingColumns, readRow, unusedColumns } from '../../client/console/screens/offers/many/rows.js'
import { templateOf } from '../../client/console/screens/offers/many/template.js'
import { en } from '../../client/console/texts/en.js'
import { LANGUAGES } from '../../client/console/texts/languages.js'
import { loadTexts } from '../../client/console/texts/load.js'
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
  const read = (...cells: string[]) => readRow(parts, mapping, { number: 7, cells }, readingOf('en-GB'))

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

  it.each(LANGUAGES)(
    'with yes and no in the words of the console in %s, with and without accents',
    async (language) => {
      const { yes, no } = (await loadTexts(language)).common
      const activeOf = (cell: string) => read('1', 'gold', cell).subject.active
      for (const word of [yes, yes.toUpperCase(), yes.normalize('NFD'), yes.normalize('NFD').replaceAll(/\p{M}/gu, '')])
        expect(activeOf(word), word).toBe(true)
      expect([activeOf(no), activeOf(no.toUpperCase())]).toEqual([false, false])
    },
  )

  it.each(['WAHR', 'VRAI', 'VERDADERO', 'VERO', 'TRUE', 'si', 'SI'])(
    'with a yes as spreadsheets write it: %s',
    (word) => {
      expect(read('1', 'gold', word).subject.active).toBe(true)
    },
  )

  it.each(['FALSCH', 'FAUX', 'FALSO', 'FALSE'])('with a no as spreadsheets write it: %s', (word) => {
    expect(read('1', 'gold', word).subject.active).toBe(false)
  })
})

describe('numbers are read as the reader writes them', () => {
  it.each([
    ['en-GB', '1,234.56', '1234.56'],
    ['de-DE', '1.234,56', '1234.56'],
    ['fr-FR', '1\u202f234,5', '1234.5'],
    ['de-CH', "1'234.5", '1234.5'],
    ['de-DE', '-1.234.567', '-1234567'],
    ['de-DE', '12', '12'],
    ['en-GB', '1e17', '1e17'],
  ])('%s: %s', (locale, text, number) => {
    expect(numberIn(text, readingOf(locale).decimal)).toBe(number)
  })

  it.each([
    ['en-GB', '1,5'],
    ['de-DE', '1.5'],
    ['de-DE', '1.234.56'],
    ['de-DE', '1.234 567'],
    ['en-GB', '1.234,56'],
    ['en-GB', 'many'],
  ])('but never with the wrong value, %s: %s', (locale, text) => {
    expect(numberIn(text, readingOf(locale).decimal)).toBeUndefined()
  })

  it('and tables have the separator that goes with the decimal sign', () => {
    expect(['de-DE', 'en-US', 'fr-FR', 'de-CH'].map(separatorOf)).toEqual([';', ',', ';', ','])
  })
})

describe('dates are read in ISO 8601 and as the reader writes them', () => {
  it.each([
    ['2026-12-31', 'ask', '2026-12-31'],
    ['2026-12-31', 'mdy', '2026-12-31'],
    ['31.12.2026', 'ask', '2026-12-31'],
    ['3.4.2026', 'ask', '2026-04-03'],
    ['31/12/2026', 'ask', '2026-12-31'],
    ['12/31/2026', 'ask', '2026-12-31'],
    ['4/4/2026', 'ask', '2026-04-04'],
    ['03/04/2026', 'dmy', '2026-04-03'],
    ['03/04/2026', 'mdy', '2026-03-04'],
  ] as const)('%s (%s)', (text, order, day) => {
    expect(dateIn(text, order)).toEqual({ day })
  })

  it.each([
    ['03/04/2026', 'ask', 'dateAmbiguous'],
    ['03-04-2026', 'ask', 'dateAmbiguous'],
    ['31/12/2026', 'mdy', 'date'],
    ['31.02.2026', 'ask', 'date'],
    ['2026-02-31', 'ask', 'date'],
    ['31.12.26', 'ask', 'date'],
    ['31.12/2026', 'ask', 'date'],
    ['soon', 'ask', 'date'],
  ] as const)('but not %s (%s)', (text, order, fault) => {
    expect(dateIn(text, order)).toEqual({ fault })
  })

  it('with a time of day', () => {
    expect(momentIn('2026-03-01T12:00:00+01:00', 'ask')).toEqual({ at: '2026-03-01T11:00:00.000Z' })
    expect(momentIn('1.3.2026 9:30', 'ask')).toEqual({ at: new Date(2026, 2, 1, 9, 30).toISOString() })
    expect(momentIn('03/04/2026 9:30', 'ask')).toEqual({ fault: 'dateAmbiguous' })
    expect(momentIn('2026-03-01', 'ask')).toEqual({ fault: 'dateTime' })
    expect(['9:30', '09:30:15Z', '24:00', 'noon'].map(timeIn)).toEqual(['09:30', '09:30:15', undefined, undefined])
  })
})

describe('the columns of a file', () => {
  const schemaBody = {
    type: 'object',
    required: ['level'],
    properties: {
      level: { type: 'string', title: 'Level', enum: ['gold', 'silver'] },
      born: { type: 'string', format: 'date', title: 'Date of birth' },
      points: { type: 'number', title: 'Points' },
      home: {
        type: 'object',
        title: 'Home',
        required: ['city'],
        properties: { city: { type: 'string', title: 'City' } },
      },
    },
  }
  const parts = planOf(schemaBody, titlesOf({ schemaBody }, 'en'))
  const controls = controlsOf(parts)
  const words = { label: 'Label', reference: 'Reference', yes: 'Yes' }

  it('a claim that every row needs must have a column; a claim in an optional group need not', () => {
    expect(missingColumns(parts, guessed(controls, ['Points'])).map(({ title }) => title)).toEqual(['Level'])
    expect(missingColumns(parts, guessed(controls, ['level']))).toEqual([])
  })

  it('a column that no claim uses is named, with the claim that it may be meant for', () => {
    const columns = ['Levle', 'Shoe size', 'Points', '']
    const unused = unusedColumns(controls, columns, guessed(controls, columns))
    expect(unused.map(({ name, meant }) => [name, meant?.title])).toEqual([
      ['Levle', 'Level'],
      ['Shoe size', undefined],
    ])
  })

  it.each(['en-GB', 'de-DE'])('the template of %s can be chosen as it is: its example row is valid', (locale) => {
    const { columns, rows } = sheetOf(`\uFEFF${templateOf(controls, words, locale)}`)
    expect(columns).toEqual(['Level', 'Date of birth', 'Points', 'City', 'Label', 'Reference'])
    const [row] = rows
    if (row === undefined) throw new Error('The template has no row.')
    const { subject, faults } = readRow(parts, guessed(controls, columns), row, readingOf(locale))
    expect(faults).toEqual([])
    expect(subject).toEqual({ level: 'gold', born: '2026-12-31', points: 1.5, home: { city: 'City' } })
  })

  it('titles that occur twice are replaced by the names of the claims', () => {
    const twice = {
      type: 'object',
      properties: { a: { type: 'string', title: 'Name' }, b: { type: 'string', title: 'Name' } },
    }
    const plan = controlsOf(planOf(twice, titlesOf({ schemaBody: twice }, 'en')))
    expect(sheetOf(templateOf(plan, words, 'en-GB')).columns.slice(0, 2)).toEqual(['a', 'b'])
  })
})

it('the result file of a batch has words for its columns and states, and formulas stay escaped', () => {
  const sent = `key,state,label\r\nM-1,OfferRetrieved,"'=1+1, 2"\r\n`
  expect(resultTable(sent, en, ';')).toBe(`Key;State;Label\r\nM-1;${en.sessions.offerStates.OfferRetrieved};'=1+1, 2`)
})
