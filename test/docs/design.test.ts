import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const DESIGN = readdirSync('docs/design').map((name) => `docs/design/${name}`)
const DOCUMENTS = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/README.md', ...DESIGN]
const MOST_LINES = 200

const read = (path: string) => readFileSync(path, 'utf8')

/** The text without its code blocks, which contain other paths and headings. */
const proseOf = (path: string) => read(path).replace(/^```.*?^```$/gms, '')

/** Returns the anchors of a document's headings, as GitHub makes them. */
function anchorsOf(path: string): string[] {
  const headings = [...proseOf(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  return headings.map(
    (heading) =>
      `#${heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-')}`,
  )
}

/** Code in backticks that looks like a path of this repository: `jose/jws.ts`, `issuer/schemas/`. */
const pathsIn = (text: string) =>
  [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/(?:[\w.-]+\.(?:ts|tsx|mjs|md))?)`/g)].map(([, path = '']) => path)

describe('ARCHITECTURE.md', () => {
  it(`has at most ${MOST_LINES} lines`, () => {
    expect(read('ARCHITECTURE.md').trimEnd().split('\n').length).toBeLessThanOrEqual(MOST_LINES)
  })
})

describe.each(DOCUMENTS)('%s', (document) => {
  const text = proseOf(document)

  it('has no broken link', () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(#[^)]*)?\)/g)]
    expect(links.length).toBeGreaterThan(0)
    for (const [, file = '', anchor] of links) {
      const target = file === '' ? document : join(dirname(document), file)
      expect(existsSync(target), `${document}: ${file}`).toBe(true)
      if (anchor !== undefined) expect(anchorsOf(target), `${document}: ${file}${anchor}`).toContain(anchor)
    }
  })

  it('names files and folders of this repository', () => {
    const missing = pathsIn(text).filter((path) => !existsSync(path) && !existsSync(join('server', path)))
    expect(missing).toEqual([])
  })
})

describe.each(DESIGN)('%s', (document) => {
  it('has every heading in its table of contents', () => {
    const sections = [...proseOf(document).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
    const contents = [...proseOf(document).matchAll(/^- \[(.+)\]\(#.+\)$/gm)].map(([, heading]) => heading)
    expect(contents).toEqual(sections)
  })
})

describe('docs/README.md', () => {
  it('lists every page below docs/', () => {
    const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.md') && path !== 'README.md',
    )
    expect(pages.length).toBeGreaterThan(5)
    expect(pages.filter((page) => !read('docs/README.md').includes(`](${page})`))).toEqual([])
  })
})
