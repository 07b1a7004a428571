import { readdirSync, readFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import {
  draftOf,
  followDraft,
  forgetDrafts,
  hasDraftHere,
  hasDrafts,
  hasSameContent,
  keepDraft,
  showForm,
} from '../../client/console/ui/kept/drafts.js'

beforeEach(forgetDrafts)

/** Forms that keep nothing, each with its reason. */
const NOT_KEPT: Readonly<Record<string, string>> = {
  'client/console/ui/filters.tsx': 'The address holds the filters of a list.',
  'client/console/ui/export-button.tsx': 'A dialog with two days and a format.',
  'client/console/screens/trust/explain/explain.tsx': 'A question about a pasted credential. It changes nothing.',
  'client/console/screens/verify/verify.tsx': 'A check of a pasted credential. It changes nothing.',
  'client/console/screens/person/person.tsx': 'A search.',
  'client/console/screens/wallets/rename.tsx': 'A dialog with one name.',
  'client/console/screens/types/source-test.tsx': 'A test with a made-up reference.',
}

it('every form of the console asks before it is left', () => {
  const files = readdirSync('client/console', { recursive: true, encoding: 'utf8' })
  const forms = files
    .filter((path) => path.endsWith('.tsx'))
    .map((path) => `client/console/${path}`)
    .filter((path) => readFileSync(path, 'utf8').includes('<form'))
  expect(forms.length).toBeGreaterThan(10)
  const without = forms.filter((path) => !/\buseKept(Form|State)\b/.test(readFileSync(path, 'utf8')))
  expect(without.sort()).toEqual(Object.keys(NOT_KEPT).sort())
})

it('a form counts as begun if a user sees a difference', () => {
  expect(hasSameContent({ claims: {}, name: '' }, { claims: { claim1: '', claim2: undefined }, name: '' })).toBe(true)
  expect(hasSameContent({ b: 1, a: [{ name: '' }] }, { a: [], b: 1 })).toBe(true)
  expect(hasSameContent({ pin: false }, { pin: true })).toBe(false)
  expect(hasSameContent({ note: 'x' }, { note: '' })).toBe(false)
  expect(hasSameContent({ all: ['a', 'b'] }, { all: ['b', 'a'] })).toBe(false)
})

it('drafts have a bound: the oldest draft makes room', () => {
  for (let at = 0; at <= 50; at += 1) keepDraft(`form-${at}`, { values: at, base: undefined })
  expect(draftOf('form-0')).toBeUndefined()
  expect(draftOf('form-1')?.values).toBe(1)
  expect(draftOf('form-50')?.values).toBe(50)
})

it('only a begun form on the screen asks; a draft of another screen is kept in silence', () => {
  keepDraft('offers', { values: 'Anna', base: undefined })
  expect([hasDrafts(), hasDraftHere()]).toEqual([true, false])
  const removed = showForm('offers')
  expect(hasDraftHere()).toBe(true)
  removed()
  expect(hasDraftHere()).toBe(false)
  forgetDrafts()
  expect([hasDrafts(), draftOf('offers')]).toEqual([false, undefined])
})

it('a form that is open again follows the work that an earlier visit began', () => {
  const seen: unknown[] = []
  const left = followDraft('file', (values) => seen.push(values))
  keepDraft('file', { values: 100, base: undefined })
  left()
  keepDraft('file', { values: 200, base: undefined })
  expect(seen).toEqual([100])
})
