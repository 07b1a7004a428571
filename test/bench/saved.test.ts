import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { RESULTS, Report } from '../../bench/report/saved.js'

const path = join(RESULTS, '2020-02-03-a-test.md')
afterEach(() => rmSync(path, { force: true }))

it('a report is printed line by line, and stored by day and name', () => {
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    const report = new Report()
    report.say('\nOn a machine.')
    report.say('| a | b |\n|---|---|\n| 1 | 2 |\n')
    expect(printed.mock.calls).toEqual([['\nOn a machine.\n'], ['| a | b |\n|---|---|\n| 1 | 2 |\n\n']])
    report.save('a-test', new Date('2020-02-03T23:59:00Z'))
    expect(printed.mock.lastCall).toEqual([`\nkept in ${path}\n`])
  } finally {
    printed.mockRestore()
  }
  expect(readFileSync(path, 'utf8')).toBe(
    '# Benchmarks of 2020-02-03\n\nOn a machine.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
  )
})
