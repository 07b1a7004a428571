import { describe, expect, it } from 'vitest'
import { html, spoken } from '../../server/pages/html.js'
import { page } from '../../server/pages/page.js'
import { directionControlIn, withoutDirectionControls } from '../../server/protocol/text-direction.js'

/** The direction controls of Unicode Standard Annex 9, §2.1 to §2.5. */
const CONTROLS = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069]
const OVERRIDDEN = 'Bank\u202egnihtoN\u202c <b>'

describe('a text of other people on a page', () => {
  it.each(CONTROLS.map((code) => `U+${code.toString(16).toUpperCase()}`))('loses %s, and is isolated', (name) => {
    const control = String.fromCharCode(Number.parseInt(name.slice(2), 16))
    expect(html`<p>From ${`A${control}B`}.</p>`.text).toBe('<p>From <bdi>AB</bdi>.</p>')
    expect(directionControlIn(`A${control}B`)).toBe(name)
  })

  it('is isolated in a title, an option and an attribute for screen readers, which cannot contain an element', () => {
    expect(html`<title>${OVERRIDDEN}</title>`.text).toBe('<title>BankgnihtoN &lt;b&gt;</title>')
    expect(html`<option value="${OVERRIDDEN}" selected>${OVERRIDDEN}</option>`.text).toBe(
      '<option value="Bank&#8238;gnihtoN&#8236; &lt;b&gt;" selected>BankgnihtoN &lt;b&gt;</option>',
    )
    expect(html`<img alt="Of ${OVERRIDDEN}" src="/x">${OVERRIDDEN}`.text).toBe(
      '<img alt="Of BankgnihtoN &lt;b&gt;" src="/x"><bdi>BankgnihtoN &lt;b&gt;</bdi>',
    )
  })

  it('is unchanged as a value: of a field, of data, of an address', () => {
    const attributes = html`name="${OVERRIDDEN}"`
    const written = 'Bank&#8238;gnihtoN&#8236; &lt;b&gt;'
    expect(html`<textarea rows="3" ${attributes}>${OVERRIDDEN}</textarea>`.text).toBe(
      `<textarea rows="3" name="${written}">${written}</textarea>`,
    )
    expect(html`<button data-request="${OVERRIDDEN}">Go</button>`.text).toContain(`data-request="${written}"`)
  })

  it('is isolated if its script runs from right to left, with its own marks, within lists and languages', () => {
    const bank = 'בנק (1)\u200f'
    expect(html`<ul>${[bank, 'Bank'].map((name) => html`<li>${name}</li>`)}</ul>`.text).toBe(
      `<ul><li><bdi>${bank}</bdi></li><li>Bank</li></ul>`,
    )
    expect(html`<p>${['بنك', ' and ', 'Bank']}</p>`.text).toBe('<p><bdi>بنك</bdi> and Bank</p>')
    expect(spoken({ text: bank, lang: 'he' }).text).toBe(`<span lang="he"><bdi>${bank}</bdi></span>`)
    expect(String(page('https://x.example', { title: `${bank} · x`, body: html`` }).body)).toContain(
      `<title>${bank} · x</title>`,
    )
  })

  it('is unchanged in every other script', () => {
    for (const text of ['Zoë', '銀行', 'Банк', 'ธนาคาร', '👩🏽‍💻', 'a\u200eb', '1 › 2'])
      expect(html`<p>${text}</p>`.text).toBe(`<p>${text}</p>`)
  })

  it('loses only these characters, on pages and in the console', () => {
    for (let code = 0; code < 0x11000; code += 1) {
      const isLost = withoutDirectionControls(`a${String.fromCodePoint(code)}b`) === 'ab'
      if (isLost !== CONTROLS.includes(code)) expect(code).toBe('kept or lost as the annex says')
    }
  })
})
