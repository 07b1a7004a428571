import { expect, it } from 'vitest'
import { readOptions } from '../../bench/options.js'
import { nameOf } from '../../bench/report/report.js'

it('a smoke run is short, and the options on the command line still count', () => {
  expect(readOptions([])).toMatchObject({
    rounds: 7,
    seconds: 2,
    warmUpSeconds: 5,
    streams: 5_000,
    rows: 0,
    processes: 1,
  })
  expect(readOptions(['--quick'])).toMatchObject({ rounds: 1, seconds: 0.4, warmUpSeconds: 1, streams: 200 })
  expect(readOptions(['--quick', '--rounds', '3', '--only', 'In Full'])).toMatchObject({ rounds: 3, only: ['in full'] })
})

it.each([
  ['--rounds', '0', '--rounds must be a number of at least 1.'],
  ['--seconds', 'two', '--seconds must be a number of at least 0.1.'],
  ['--rows', '-1', '--rows must be a number of at least 0.'],
  ['--processes', 'Infinity', '--processes must be a number of at least 1.'],
  ['--streams', '', '--streams must be a number of at least 0.'],
  ['--node', 'latest', '--node must be a version of Node.js, such as 24.'],
])('%s %j is refused', (option, value, sentence) => {
  expect(() => readOptions([`${option}=${value}`])).toThrow(sentence)
})

const AT = new Date('2026-03-01T23:00:00Z')

it.each([
  [[], '2026-03-01'],
  [['--peers', '--rounds', '3'], '2026-03-01'],
  [['--node', '24', '--processes', '2', '--rows', '1000000'], '2026-03-01-node-24-2-processes-1000000-rows'],
  [['--quick', '--only', 'In full,', '--only', '8 at once'], '2026-03-01-quick-in-full-8-at-once'],
  [['--against', '../before'], '2026-03-01-against'],
])('the result of %j is stored under a name with the unusual options', (args, name) => {
  expect(nameOf(readOptions(args), AT)).toBe(name)
})
