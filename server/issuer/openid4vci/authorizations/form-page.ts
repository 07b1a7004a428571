import { type Html, html, spoken } from '../../../pages/html.js'
import type { Speech } from '../../../pages/speech.js'
import {
  choiceText,
  type Field,
  type Filled,
  type FormPart,
  type FormProblems,
  fieldsOf,
  filledIn,
  nameOf,
} from './form-fields.js'

/** A sent form and its problems. */
export interface SentForm {
  readonly filled: Filled
  readonly problems: FormProblems
}

const EMPTY: SentForm = { filled: {}, problems: { byField: new Map(), others: [] } }

const option = (value: string, text: string, chosen: string): Html =>
  value === chosen
    ? html`<option value="${value}" selected>${text}</option>`
    : html`<option value="${value}">${text}</option>`

const HINTS: Partial<Record<Field['kind'], 'form.onePerLine' | 'form.asJson'>> = {
  lines: 'form.onePerLine',
  numbers: 'form.onePerLine',
  json: 'form.asJson',
}

const INPUTS: Partial<Record<Field['kind'], Html>> = {
  date: html`type="date"`,
  email: html`type="email"`,
  link: html`type="url"`,
  number: html`type="number" step="any" inputmode="decimal"`,
  integer: html`type="number" step="any" inputmode="numeric"`,
}

function optionsOf({ kind, choices, choiceTitles }: Field, value: string, speech: Speech): Html[] {
  const offered =
    kind === 'boolean'
      ? [
          ['true', speech.say('value.yes')],
          ['false', speech.say('value.no')],
        ]
      : choices.map((choice, at) => [
          choiceText(choice),
          choiceTitles?.[at] ?? (typeof choice === 'string' ? choice : choiceText(choice)),
        ])
  return [option('', '–', value), ...offered.map(([sent = '', text = '']) => option(sent, text, value))]
}

function control(field: Field, value: string, attributes: Html, speech: Speech): Html {
  switch (field.kind) {
    case 'boolean':
    case 'choice':
      return html`<select ${attributes}>${optionsOf(field, value, speech)}</select>`
    case 'long':
    case 'lines':
    case 'numbers':
    case 'json':
      // Browsers drop a line break right after the tag, so the markup adds a line break.
      return html`<textarea rows="3" ${attributes}>
${value}</textarea>`
    default:
      return html`<input ${INPUTS[field.kind] ?? html`type="text"`} value="${value}" ${attributes}>`
  }
}

/** One field with its label, its hint and its problem. */
function fieldRow(field: Field, id: string, { filled, problems }: SentForm, speech: Speech): Html {
  const problem = problems.byField.get(nameOf(field))
  const hintKey = HINTS[field.kind]
  const hint = [field.description, hintKey === undefined ? undefined : speech.say(hintKey)]
    .filter((text) => text !== undefined)
    .join(' ')
  const described = [hint === '' ? '' : `${id}-hint`, problem === undefined ? '' : `${id}-problem`].join(' ').trim()
  const attributes = html`id="${id}" name="${nameOf(field)}" autocomplete="off"${field.needed && html` required`}${
    problem !== undefined && html` aria-invalid="true"`
  }${described !== '' && html` aria-describedby="${described}"`}`
  return html`<div class="field">
<label for="${id}">${spoken(field.title)}${!field.needed && html` <span class="optional">(${speech.say('form.optional')})</span>`}</label>
${hint !== '' && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${control(field, filledIn(filled, field), attributes, speech)}
${problem !== undefined && html`<p class="problem" id="${id}-problem">${problem}</p>`}
</div>`
}

/** The list of problems above the form, with a link to each field. */
function summary(
  fields: readonly Field[],
  idOf: (field: Field) => string,
  { problems }: SentForm,
  speech: Speech,
): Html | undefined {
  const wrong = fields.flatMap((field) => {
    const problem = problems.byField.get(nameOf(field))
    return problem === undefined ? [] : [html`<li><a href="#${idOf(field)}">${spoken(field.title)}</a> ${problem}</li>`]
  })
  const others = problems.others.map((text) => html`<li>${text}</li>`)
  if (wrong.length + others.length === 0) return undefined
  return html`<div class="problems" role="alert"><h2>${speech.say('form.fix')}</h2><ul>${[...wrong, ...others]}</ul></div>`
}

/** The fields of a form, below the problems of the sent values. */
export function formFields(parts: readonly FormPart[], speech: Speech, sent: SentForm = EMPTY): Html {
  const fields = fieldsOf(parts)
  const ids = new Map(fields.map((field, position) => [field, `claim-${position + 1}`]))
  const idOf = (field: Field) => ids.get(field) ?? ''
  const rendered = (part: FormPart): Html =>
    part.kind === 'group'
      ? html`<fieldset><legend>${spoken(part.title)}</legend>${part.parts.map(rendered)}</fieldset>`
      : fieldRow(part, idOf(part), sent, speech)
  return html`${summary(fields, idOf, sent, speech)}${parts.map(rendered)}`
}
