import { expect, it } from 'vitest'
import { argumentsOf } from '../../bench/arguments.js'

const options = { rows: { type: 'string', default: '7' }, peers: { type: 'boolean', default: false } } as const

it('the options of the benchmarks are read, with their defaults', () => {
  expect(argumentsOf(['--peers'], options)).toEqual({ rows: '7', peers: true })
})

it.each([[['--help']], [['--row', '1']], [['extra']], [['--rows', '-1']]])(
  'for %j the error names the options',
  (args) => {
    expect(() => argumentsOf(args, options)).toThrow(
      /^(Unknown option '(--help|--row)'|Unexpected argument 'extra'|Option '--rows' argument is ambiguous)\. There are --rows …, --peers; bench\/README\.md/,
    )
  },
)
