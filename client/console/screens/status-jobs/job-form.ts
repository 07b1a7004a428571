import type { JobOrder } from '../../queries/status-jobs.js'
import { dayOf, momentsOf } from '../../ui/days.js'

type Reason = NonNullable<JobOrder['reason']>

/** The values of the form. An empty text is left out of the order. */
export interface JobForm {
  readonly action: JobOrder['action']
  readonly schema: string
  readonly offering: string
  readonly batch: string
  /** One id on each line. */
  readonly ids: string
  /** One reference on each line. */
  readonly references: string
  readonly from: string
  readonly to: string
  readonly all: boolean
  readonly reason: Reason | ''
  readonly note: string
}

export const EMPTY: JobForm = {
  action: 'revoke',
  schema: '',
  offering: '',
  batch: '',
  ids: '',
  references: '',
  from: '',
  to: '',
  all: false,
  reason: '',
  note: '',
}

/** The entries of a pasted list. */
export const pasted = (text: string, separator: RegExp): string[] => [
  ...new Set(
    text
      .split(separator)
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  ),
]

/** Whether the form has no condition. */
export const isEmpty = ({ schema, offering, batch, ids, references, from, to }: JobForm): boolean =>
  [schema, offering, batch, ids, references, from, to].every((value) => value.trim() === '')

/** The order of a form. */
export function orderOf(form: JobForm): JobOrder {
  const { action, reason, note } = form
  const { from: issuedFrom, to: issuedTo } = momentsOf({ from: dayOf(form.from), to: dayOf(form.to) })
  const ids = pasted(form.ids, /[\s,;]+/)
  const references = pasted(form.references, /\r?\n/)
  const [schema, offering, batch] = [form.schema.trim(), form.offering.trim(), form.batch.trim()]
  return {
    action,
    ...(reason === '' ? {} : { reason }),
    ...(note.trim() === '' ? {} : { note: note.trim() }),
    filter: {
      ...(schema === '' ? {} : { schema }),
      ...(offering === '' ? {} : { offering }),
      ...(batch === '' ? {} : { batch }),
      ...(ids.length === 0 ? {} : { ids }),
      ...(references.length === 0 ? {} : { references }),
      ...(issuedFrom === undefined ? {} : { issuedFrom }),
      ...(issuedTo === undefined ? {} : { issuedTo }),
      ...(isEmpty(form) && form.all ? { all: true as const } : {}),
    },
  }
}
