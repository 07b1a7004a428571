import { describe, expect, it } from 'vitest'
import { selectByPath } from '../../../../server/protocol/openid4vp/query/jsonpath/evaluate.js'
import { parseJsonPath as parse } from '../../../../server/protocol/openid4vp/query/jsonpath/parse.js'
import { JsonPathError } from '../../../../server/protocol/openid4vp/query/jsonpath/scanner.js'
import { Work, WorkExceededError } from '../../../../server/protocol/work.js'

const parseJsonPath = (path: string) => parse(path, new Work(Number.POSITIVE_INFINITY))

function select(path: string, document: unknown, units = 100_000): unknown[] {
  return selectByPath(parseJsonPath(path), document, new Work(units))
}

describe('selectors (RFC 9535 §2.3, the examples of its tables)', () => {
  const names = { o: { 'j j': { 'k.k': 3 } }, "'": { '@': 2 } }
  it.each([
    [`$.o['j j']`, [{ 'k.k': 3 }]],
    [`$.o['j j']['k.k']`, [3]],
    [`$.o["j j"]["k.k"]`, [3]],
    [`$["'"]["@"]`, [2]],
    [`$['\\'']`, [{ '@': 2 }]],
    [`$.missing`, []],
    [`$`, [names]],
  ])('name: %s', (path, expected) => expect(select(path, names)).toEqual(expected))

  const wild = { o: { j: 1, k: 2 }, a: [5, 3] }
  it.each([
    ['$[*]', [{ j: 1, k: 2 }, [5, 3]]],
    ['$.o[*]', [1, 2]],
    ['$.o[*, *]', [1, 2, 1, 2]],
    ['$.a.*', [5, 3]],
  ])('wildcard: %s', (path, expected) => expect(select(path, wild)).toEqual(expected))

  const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  it.each([
    ['$[1]', ['b']],
    ['$[-2]', ['f']],
    ['$[7]', []],
    ['$[-8]', []],
    ['$[1:3]', ['b', 'c']],
    ['$[5:]', ['f', 'g']],
    ['$[1:5:2]', ['b', 'd']],
    ['$[5:1:-2]', ['f', 'd']],
    ['$[::-1]', ['g', 'f', 'e', 'd', 'c', 'b', 'a']],
    ['$[::0]', []],
    ['$[-3:-1]', ['e', 'f']],
    ['$[0, 3]', ['a', 'd']],
    ['$[0:2, 5]', ['a', 'b', 'f']],
    ['$[ 1 : 3 : 1 ]', ['b', 'c']],
    ["$['1']", []],
  ])('index and slice: %s', (path, expected) => expect(select(path, letters)).toEqual(expected))

  const nested = { o: { j: 1, k: 2 }, a: [5, 3, [{ j: 4 }, { k: 6 }]] }
  it.each([
    ['$..j', [1, 4]],
    ['$..[0]', [5, { j: 4 }]],
    ['$.o..[*, *]', [1, 2, 1, 2]],
    ['$.a..[0, 1]', [5, 3, { j: 4 }, { k: 6 }]],
  ])('descendants (§2.5.2): %s', (path, expected) => expect(select(path, nested)).toEqual(expected))

  it('selects own members only', () => {
    const document: unknown = JSON.parse('{"__proto__": {"a": 1}}')
    expect(select('$.__proto__.a', document)).toEqual([1])
    expect(select('$.__proto__', {})).toEqual([])
    expect(select('$.constructor', {})).toEqual([])
    expect(select('$.length', [1])).toEqual([])
    expect(select('$[0]', 'text')).toEqual([])
  })

  it('treats null as a value', () => expect(select('$.a', { a: null })).toEqual([null]))
})

describe('filters (RFC 9535 §2.3.5)', () => {
  const document = {
    a: [3, 5, 1, 2, 4, 6, { b: 'j' }, { b: 'k' }, { b: {} }, { b: 'kilo' }],
    o: { p: 1, q: 2, r: 3, s: 5, t: { u: 6 } },
    e: 'f',
  }
  it.each([
    ["$.a[?@.b == 'kilo']", [{ b: 'kilo' }]],
    ["$.a[?(@.b == 'kilo')]", [{ b: 'kilo' }]],
    ['$.a[?@>3.5]', [5, 4, 6]],
    ['$.a[?@.b]', [{ b: 'j' }, { b: 'k' }, { b: {} }, { b: 'kilo' }]],
    ['$[?@.*]', [document.a, document.o]],
    ['$[?@[?@.b]]', [document.a]],
    ['$.o[?@<3, ?@<3]', [1, 2, 1, 2]],
    ['$.a[?@<2 || @.b == "k"]', [1, { b: 'k' }]],
    ['$.a[?match(@.b, "[jk]")]', [{ b: 'j' }, { b: 'k' }]],
    ['$.a[?search(@.b, "[jk]")]', [{ b: 'j' }, { b: 'k' }, { b: 'kilo' }]],
    ['$.o[?@>1 && @<4]', [2, 3]],
    ['$.o[?@.u || @.x]', [{ u: 6 }]],
    ['$.a[?@.b == $.x]', [3, 5, 1, 2, 4, 6]],
    ['$.a[?@ == @]', document.a],
    ['$.a[?!@.b]', [3, 5, 1, 2, 4, 6]],
    ['$.a[?!(@.b || @ > 2)]', [1, 2]],
    ['$.o.t[?@ == $["o"].t.u]', [6]],
  ])('%s', (path, expected) => expect(select(path, document)).toEqual(expected))

  it('joins three and more conditions by &&', () => {
    const items = [
      { a: 1, b: 2, c: 3 },
      { a: 1, b: 0, c: 3 },
      { a: 1, b: 2, c: 0 },
    ]
    expect(select('$[?@.a == 1 && @.b == 2 && @.c == 3]', items)).toEqual([items[0]])
    expect(select('$[?@.a == 0 || @.b == 0 && @.c == 3]', items)).toEqual([items[1]])
  })

  it('compares (§2.3.5.2.2) structures by their members, strings by Unicode scalar values, and absent values as equal', () => {
    expect(select('$[?@.a == @.b]', [{ a: { x: 1, y: [2] }, b: { y: [2], x: 1 } }])).toHaveLength(1)
    expect(select('$[?@.a == @.b]', [{ a: [1], b: { 0: 1 } }])).toEqual([])
    expect(select('$[?@.a == @.b]', [{ a: { x: 1 }, b: { y: 1 } }])).toEqual([])
    expect(select('$[?@ < "\uFFFD"]', ['😀'])).toEqual([])
    expect(select('$[?@.x == @.y]', [1])).toEqual([1])
    expect(select('$[?@.x <= @.y]', [1])).toEqual([1])
    expect(select('$[?@ <= 1]', ['1', 1, true, null])).toEqual([1])
    expect(select('$[?@ == 1.0e0]', [1])).toEqual([1])
    expect(select('$[?@[0] == 1]', [[1], [2]])).toEqual([[1]])
  })

  it.each([
    [
      'length("😀a") counts Unicode scalar values',
      '$[?length(@) == 2]',
      ['😀a', 'abc', [1, 2], { a: 1, b: 2 }, 2],
      ['😀a', [1, 2], { a: 1, b: 2 }],
    ],
    ['count() counts nodes', '$[?count(@.*) == 2]', [[1, 2], [1], { a: 1, b: 2 }], [[1, 2], { a: 1, b: 2 }]],
    ['value() accepts one node or nothing', '$[?value(@..x) == 1]', [{ x: 1 }, { x: 1, y: { x: 1 } }], [{ x: 1 }]],
    [
      'match() applies to the whole string, also with alternatives',
      '$[?match(@, "ab|cd")]',
      ['ab', 'abd', 'acd', 'cd'],
      ['ab', 'cd'],
    ],
    [
      'a dot is neither line feed nor carriage return',
      '$[?match(@, "a.[.]")]',
      ['ab.', 'a\n.', 'a\r.', 'abc'],
      ['ab.'],
    ],
    ['a pattern that is not a string matches nothing', '$[?match(@, 1)]', ['1', 1], []],
  ])('functions (§2.4): %s', (_, path, document, expected) => expect(select(path, document)).toEqual(expected))
})

describe('a path that is not JSONPath (RFC 9535 Appendix A)', () => {
  it.each([
    ...[
      '',
      'a',
      '.a',
      ' $',
      '$ ',
      '$.',
      '$..',
      '$.a.',
      '$a',
      '$.a b',
      '$.1a',
      '$[',
      '$[]',
      '$[a]',
      "$['a]",
      '$[01]',
      '$[-0]',
      '$[1.0]',
    ],
    ...[
      '$[1,]',
      '$[,1]',
      '$.[0]',
      '$...a',
      '$[::1',
      '$[?]',
      '$[?@.a',
      '$[?@.a =]',
      '$[?@.a = 1]',
      '$[?1]',
      "$['\\x']",
      '$["\\uD800"]',
    ],
    ...[
      "$['\n']",
      '$[?@.a == 01]',
      '$[?@.a == 1.]',
      '$[?@.a == TRUE]',
      '$[?(@.a]',
      '$[?@.a && ]',
      '$[?!@.a == 1]',
      '$[?@.a == 1 == 1]',
    ],
  ])('%j', (path) => expect(() => parseJsonPath(path)).toThrow(JsonPathError))

  it('is refused with the position of the error', () => {
    expect(() => parseJsonPath('$.a[?')).toThrow('is no JSONPath of RFC 9535 at character 6')
    expect(() => parseJsonPath('credentialSubject.age')).toThrow('is no JSONPath of RFC 9535 at character 1')
  })

  it.each(['$[9007199254740992]', '$[:-9007199254740992]', `$[${'9'.repeat(400)}]`])(
    '%s: an integer beyond I-JSON (§2.1)',
    (path) => expect(() => parseJsonPath(path)).toThrow('has an integer beyond ±(2^53 − 1)'),
  )

  it.each([
    ...['$[?length(@.a)]', '$[?count(@.a)]', '$[?value(@.a)]', '$[?match(@.a, "b") == true]', '$[?length(@.*) == 1]'],
    ...[
      '$[?length(@..a) == 1]',
      '$[?count(1) == 1]',
      '$[?@.* == 1]',
      '$[?@[0, 1] == 1]',
      '$[?length() == 1]',
      '$[?match(@.a)]',
    ],
    ...['$[?length(@.a, @.b) == 1]', '$[?length(match(@.a, "b")) == 1]', '$[?length (@) == 1]'],
  ])('%s: not well-typed (§2.4.3)', (path) => expect(() => parseJsonPath(path)).toThrow(JsonPathError))

  it.each(['constructor', 'toString', 'foo', '__proto__'])('calls an unknown function: %s', (name) =>
    expect(() => parseJsonPath(`$[?${name}(@) == 1]`)).toThrow(JsonPathError),
  )
})

describe('attack: JSONPath bombs', () => {
  const deep = (levels: number): unknown => (levels === 0 ? {} : { a: deep(levels - 1), b: deep(levels - 1) })

  it('refuses paths beyond the limits', () => {
    const refuses = (path: string, reason: string) => expect(() => parseJsonPath(path)).toThrow(reason)
    refuses(`$${'.a'.repeat(256)}`, 'must not be longer than 512 characters')
    refuses(`$${'.a'.repeat(33)}`, 'must not have more than 32 segments')
    refuses('$..a..b..c..d', 'must not have more than 3 descendant segments')
    refuses('$..[?@..[?@..[?@..a]]]', 'must not have more than 3 descendant segments')
    refuses(`$${'[?@'.repeat(9)}${']'.repeat(9)}`, 'must not nest filters deeper than 8 levels')
    refuses(`$[?${'('.repeat(20)}@.a${')'.repeat(20)}]`, 'must not nest filters deeper than 8 levels')
  })

  it('needs linear time for a path for which a backtracking parser needs exponential time', () => {
    expect(() => parseJsonPath(`$[?${'length('.repeat(60)}`)).toThrow(JsonPathError)
    expect(() => parseJsonPath(`$[?${'count(@[?'.repeat(8)}`)).toThrow(JsonPathError)
  })

  it.each([
    ['descendants of descendants', '$..*..*..*'],
    ['a union that repeats itself', `$${'[*,*,*,*,*,*,*,*]'.repeat(8)}`],
    ['filters over descendants', '$..[?$..[?$..a]]'],
    ['comparison of all with all', '$..[?$..[?@ == $]]'],
  ])('stops evaluating: %s', (_, path) => expect(() => select(path, deep(9))).toThrow(WorkExceededError))

  it('charges the length of the strings that it reads', () => {
    const text = 'x'.repeat(1_000_000)
    expect(() => select('$[?@ <= $[0]]', [text, text])).toThrow(WorkExceededError)
    expect(() => select('$[?match(@, "x*y")]', [text])).toThrow(WorkExceededError)
    expect(() => select('$[?length(@) == 1]', [text])).toThrow(WorkExceededError)
  })

  it('stops in a document that is too deep for the call stack', () => {
    let document: unknown = []
    for (let level = 0; level < 50_000; level++) document = [document]
    expect(() => select('$..a', document, 1_000_000)).toThrow(WorkExceededError)
    expect(() => select('$[?@ == $[0]]', [document, document], 1_000_000)).toThrow(WorkExceededError)
    expect(select('$[0][0]', [[1]])).toEqual([1])
  })

  it('accepts huge steps and bounds of slices', () => {
    expect(select('$[::9007199254740991]', [1, 2])).toEqual([1])
    expect(select('$[-9007199254740991:9007199254740991]', [1, 2])).toEqual([1, 2])
    expect(select('$[9007199254740991:-9007199254740991:-9007199254740991]', [1, 2])).toEqual([2])
  })

  it('refuses patterns that cannot be matched in linear time, and patterns from the credential', () => {
    expect(select('$[?match(@, "(a+)+")]', [`${'a'.repeat(20_000)}!`], 1_000_000)).toEqual([])
    expect(() => parseJsonPath('$[?match(@, "(?=a)")]')).toThrow(
      'has a pattern that is not a regular expression that can be matched in linear time',
    )
    expect(() =>
      parseJsonPath('$[?match(@, "(\\\\w{100}){10}(\\\\w{100}){10}(\\\\w{100}){10}(\\\\w{100}){10}(\\\\w{100}){10}")]'),
    ).toThrow(/has a pattern that is too complex|Too much work/)
    expect(() => parseJsonPath('$[?search(@.a, @.pattern)]')).toThrow(
      'calls search() with a pattern that is not a literal',
    )
  })
})
