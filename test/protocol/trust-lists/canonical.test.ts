import { DOMParser } from '@xmldom/xmldom'
import { describe, expect, it } from 'vitest'
import { XmlCanonicalizer } from 'xmldsigjs'
import { type Canonicalization, canonicalize } from '../../../server/protocol/trust-lists/tsl/xml/canonical.js'
import { parseXml } from '../../../server/protocol/trust-lists/tsl/xml/parse.js'
import { allElements, type XmlElement } from '../../../server/protocol/trust-lists/tsl/xml/tree.js'

const INCLUSIVE: Canonicalization = { form: 'inclusive-1.0' }
const exclusive = (...inclusivePrefixes: string[]): Canonicalization => ({ form: 'exclusive', inclusivePrefixes })

const parse = (xml: string) => parseXml(Buffer.from(xml))
const named = (root: XmlElement, local: string): XmlElement => {
  for (const element of allElements(root)) if (element.local === local) return element
  throw new Error(`There is no ${local}.`)
}
const written = (xml: string, how: Canonicalization = INCLUSIVE, local?: string) => {
  const root = parse(xml)
  return Buffer.from(canonicalize(local === undefined ? root : named(root, local), how)).toString()
}

describe('canonical XML', () => {
  it('keeps white space, and writes empty elements with an end tag (Canonical XML 1.0 §3.2, §3.3)', () => {
    const xml = '<doc>\n   <clean>   </clean>\n   <e2   />\n   <mixed>\n A\n <c> B </c></mixed>\n</doc>'
    expect(written(xml)).toBe(xml.replace('<e2   />', '<e2></e2>'))
  })

  it('orders namespaces and attributes, and leaves out superfluous namespaces (§3.3)', () => {
    const xml =
      '<e5 a:attr="out" b:attr="sorted" attr2="all" attr="I\'m" xmlns:b="http://www.ietf.org" ' +
      'xmlns:a="http://www.w3.org" xmlns="http://example.org"/>'
    expect(written(xml)).toBe(
      '<e5 xmlns="http://example.org" xmlns:a="http://www.w3.org" xmlns:b="http://www.ietf.org" attr="I\'m" ' +
        'attr2="all" b:attr="sorted" a:attr="out"></e5>',
    )
    expect(written('<e6 xmlns="" xmlns:a="urn:a"><e7 xmlns="urn:x"><e8 xmlns="" xmlns:a="urn:a"/></e7></e6>')).toBe(
      '<e6 xmlns:a="urn:a"><e7 xmlns="urn:x"><e8 xmlns=""></e8></e7></e6>',
    )
  })

  it('writes characters in one way (§3.4)', () => {
    const xml = `<doc><text>First line&#x0d;&#10;Second</text><value>&#x32;</value><compute>${'<![CDATA[value>"0" && <x>]]>'}</compute><n a="  '    &#x20;&#13;&#xa;&#9;   ' &quot;&lt;&amp;"/></doc>`
    expect(written(xml)).toBe(
      '<doc><text>First line&#xD;\nSecond</text><value>2</value><compute>value&gt;"0" &amp;&amp; &lt;x&gt;</compute>' +
        '<n a="  \'     &#xD;&#xA;&#x9;   \' &quot;&lt;&amp;"></n></doc>',
    )
    expect(written('<a b="x\ty\nz">\r\n</a>')).toBe('<a b="x y z">\n</a>')
  })

  it('leaves out comments and the declaration', () => {
    expect(written('<?xml version="1.0"?><!-- a --><a>b<!-- c -->d</a><!-- e -->')).toBe('<a>bd</a>')
  })

  it('brings the context of an element with it, or leaves it out (Exclusive XML Canonicalization §2.2)', () => {
    const one = '<n0:pdu xmlns:n0="http://a.example"><n1:elem1 xmlns:n1="http://b.example">content</n1:elem1></n0:pdu>'
    const other =
      '<n2:pdu xmlns:n1="http://example.com" xmlns:n2="http://foo.example" xml:lang="fr" xml:space="retain">' +
      '<n1:elem2 xmlns:n1="http://example.net" xml:lang="en"><n3:stuff xmlns:n3="ftp://example.org"/></n1:elem2></n2:pdu>'
    expect(written(one, INCLUSIVE, 'elem1')).toBe(
      '<n1:elem1 xmlns:n0="http://a.example" xmlns:n1="http://b.example">content</n1:elem1>',
    )
    expect(written(one, exclusive(), 'elem1')).toBe('<n1:elem1 xmlns:n1="http://b.example">content</n1:elem1>')
    expect(written(other, INCLUSIVE, 'elem2')).toBe(
      '<n1:elem2 xmlns:n1="http://example.net" xmlns:n2="http://foo.example" xml:lang="en" xml:space="retain">' +
        '<n3:stuff xmlns:n3="ftp://example.org"></n3:stuff></n1:elem2>',
    )
    expect(written(other, exclusive(), 'elem2')).toBe(
      '<n1:elem2 xmlns:n1="http://example.net" xml:lang="en"><n3:stuff xmlns:n3="ftp://example.org"></n3:stuff></n1:elem2>',
    )
    expect(written(other, exclusive('n2'), 'elem2')).toContain('xmlns:n2="http://foo.example"')
  })

  it('takes xml:id and xml:base of outer elements by its version only (Canonical XML 1.1 §2.4)', () => {
    const xml = '<a xml:id="x" xml:lang="de"><b/></a>'
    expect(written(xml, INCLUSIVE, 'b')).toBe('<b xml:id="x" xml:lang="de"></b>')
    expect(written(xml, { form: 'inclusive-1.1' }, 'b')).toBe('<b xml:lang="de"></b>')
    expect(() => written('<a xml:base="urn:x"><b/></a>', { form: 'inclusive-1.1' }, 'b')).toThrow('xml:base')
  })

  it.each([
    '<a xmlns="urn:a" xmlns:b="urn:b"><b:c d="1" b:e="2"/><f xmlns=""><b:g xmlns:b="urn:h"/></f></a>',
    '<x:a xmlns:x="urn:1"><b xmlns="urn:2" y="&amp;&lt;&gt;&quot;"><x:c/>t&gt;</b></x:a>',
    '<a><b xml:lang="de" xmlns:p="urn:p" p:q="1" a="2"><c/></b></a>',
  ])('is the same as that of xmldsigjs: %s', (xml) => {
    // The library knows the documents of browsers only, hence the cast below.
    const document = new DOMParser().parseFromString(xml, 'application/xml')
    for (const isExclusive of [true, false]) {
      const other = new XmlCanonicalizer(false, isExclusive).Canonicalize(document as never)
      expect(written(xml, isExclusive ? exclusive() : INCLUSIVE)).toBe(other)
    }
  })
})
