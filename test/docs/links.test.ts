import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** Every page of the documents. */
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'client/README.md',
  'client/CHANGELOG.md',
  'client/console/README.md',
  'bench/README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path)),
]

/** The anchors of a page, as GitHub names them: a repeated heading gets a number. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  const prose = text.replaceAll(/^ *```.*?^ *```$/gms, '')
  for (const [, heading = ''] of prose.matchAll(/^#+ (.+)$/gm)) {
    const name = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-')
    let anchor = name
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${name}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

const linksOf = (text: string) =>
  [...text.replaceAll(/^ *```.*?^ *```$/gms, '').matchAll(/\]\((?![a-z]+:)([^)#]*)(?:#([^)]*))?\)/g)].map(
    ([, file = '', anchor]) => ({ file, anchor }),
  )

/** Finds the links of a page whose target does not exist. */
function brokenIn(document: string): string[] {
  const text = readFileSync(join(root, document), 'utf8')
  return linksOf(text)
    .filter(({ file, anchor }) => {
      const target = file === '' ? join(root, document) : resolve(root, dirname(document), file)
      if (!existsSync(target) || relative(root, target).startsWith('..')) return true
      return anchor !== undefined && !(statSync(target).isFile() && anchorsOf(readFileSync(target, 'utf8')).has(anchor))
    })
    .map(({ file, anchor }) => (anchor === undefined ? file : `${file}#${anchor}`))
}

describe('the links of the documents', () => {
  it.each(documents)('of %s are not broken', (document) => {
    expect(brokenIn(document)).toEqual([])
  })

  it('are found, with their anchors', () => {
    const found = documents.flatMap((document) => linksOf(readFileSync(join(root, document), 'utf8')))
    expect(found.length).toBeGreaterThan(100)
    expect(found.filter(({ anchor }) => anchor !== undefined).length).toBeGreaterThan(30)
  })

  it('lead to every page of docs/ from its index or from another page', () => {
    const reached = new Set(
      documents.flatMap((document) =>
        linksOf(readFileSync(join(root, document), 'utf8')).map(({ file }) =>
          relative(root, resolve(root, dirname(document), file)),
        ),
      ),
    )
    expect(documents.filter((path) => path.startsWith('docs/') && !reached.has(path))).toEqual([])
  })
})

describe('the pages for operators', () => {
  const pages = documents.filter((path) => path.startsWith('docs/operations/'))

  it.each(pages)('%s is short, and lists its tasks', (page) => {
    const text = readFileSync(join(root, page), 'utf8')
    expect(text.split('\n').length).toBeLessThanOrEqual(251)
    const listed = linksOf(text)
      .filter(({ file }) => file === '')
      .map(({ anchor }) => anchor)
    const tasks = [...text.replaceAll(/^ *```.*?^ *```$/gms, '').matchAll(/^## (.+)$/gm)]
    expect(tasks.length).toBeGreaterThan(1)
    for (const [, task = ''] of tasks) expect(listed).toContain([...anchorsOf(`## ${task}`)][0])
  })

  it('README.md has at most 180 lines', () => {
    expect(readFileSync(join(root, 'README.md'), 'utf8').split('\n').length).toBeLessThanOrEqual(181)
  })
})
