import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { type FieldErrors, FormProvider } from 'react-hook-form'
import { problemOf, sortMessages } from '../../../problems.js'
import type { TypeVersion } from '../../../queries/shapes.js'
import { credence } from '../../../service.js'
import { useSpoken } from '../../../texts/use-texts.js'
import { Restored } from '../../../ui/kept/restored.js'
import { useKeptForm } from '../../../ui/kept/use-kept.js'
import { ProblemNote } from '../../../ui/problem-note.js'
import { bodyOf, draftOf, isUnreadable, type TypeBody, type TypeDraft } from '../draft.js'
import { fieldOfPath, type Section, sectionOfField, sectionsOf } from '../fields.js'
import { About } from './about.js'
import { DisplayFields } from './display-fields.js'
import { DraftCard } from './draft-card.js'
import { MdocFields } from './mdoc-fields.js'
import { SchemaEditor } from './schema-editor.js'
import { OpenedSections } from './section.js'
import { KeyFields, MoreFields, RetentionFields, ValidityFields } from './setting-fields.js'
import { SignInFields } from './sign-in-fields.js'
import { SourceFields } from './source-fields.js'

interface Props {
  /** Names the form. The form keeps its input under this name while the window is open. */
  readonly keptAs: string
  /** The type to begin with: the next version, a template, a file or a copy. Undefined for an empty type. */
  readonly initial: TypeBody | undefined
  /** The version of an existing type that was published before; undefined for a new type. */
  readonly before?: number | undefined
  /** Called when the user has changed something for the first time. */
  readonly onChanged?: () => void
  readonly onPublished: (version: TypeVersion) => void
}

const CONFLICT = 409

/** On a phone, all sections begin closed: their headings say what is set. */
const isPhone = () => matchMedia('(max-width: 47.99rem)').matches

/** The first values of the form. A new type has no earlier version whose secrets it could keep. */
function begun(initial: TypeBody | undefined, language: string, before: number | undefined): TypeDraft {
  const draft = draftOf(initial, language)
  return before === undefined && draft.sourceAuth === 'kept' ? { ...draft, sourceAuth: 'hmac' } : draft
}

/** The names of all fields with an error. */
const wrongFields = (errors: object, above = ''): string[] =>
  Object.entries(errors).flatMap(([name, error]) => {
    if (typeof error !== 'object' || error === null) return []
    const path = above === '' ? name : `${above}.${name}`
    return 'message' in error && typeof error.message === 'string' ? [path] : wrongFields(error, path)
  })

/** Edits a credential type beside a preview of its card, and publishes it. */
export function Editor({ keptAs, initial: given, before: givenBefore, onChanged, onPublished }: Props) {
  const { language, texts } = useSpoken()
  const { types: words, form: formWords } = texts
  const client = useQueryClient()
  // `base` is the version that the user saw. With a version that was read later, publishing would silently undo the version of
  // another user.
  const kept = useKeptForm<TypeDraft, Pick<Props, 'initial' | 'before'>>(
    keptAs,
    { initial: given, before: givenBefore },
    (base) => begun(base.initial, language, base.before),
  )
  const { form } = kept
  const { initial, before } = kept.base
  const [others, setOthers] = useState<readonly string[]>([])
  const [opened, setOpened] = useState<ReadonlySet<Section>>(() => (isPhone() ? new Set() : sectionsOf(initial)))
  // The service's errors are removed before the next call, because some are at fields that are not checked again.
  const refused = useRef<string[]>([])
  const sections = useMemo(
    () => ({
      opened,
      onOpened: (section: Section, isOpen: boolean) =>
        setOpened((all) => {
          if (all.has(section) === isOpen) return all
          return isOpen ? new Set([...all, section]) : new Set([...all].filter((each) => each !== section))
        }),
    }),
    [opened],
  )
  /** Opens the sections of fields, and moves the focus to the first field. */
  function show(fields: readonly string[]): void {
    const hidden = fields.flatMap((field) => sectionOfField(field) ?? [])
    if (hidden.length > 0) setOpened((all) => new Set([...all, ...hidden]))
    const [first] = fields
    // The field can have the focus only after its section is drawn open.
    if (first !== undefined) setTimeout(() => form.setFocus(first as 'name'))
  }
  const publish = useMutation({
    mutationFn: (body: TypeBody) => credence.schemas.create.mutate(body),
    onSuccess: async (version) => {
      kept.done()
      await client.invalidateQueries({ queryKey: ['types'] })
      onPublished(version)
    },
    onError: (error, body) => {
      const { byField, others: rest } = sortMessages(problemOf(error).messages, (path) =>
        fieldOfPath(path, form.getValues(), body),
      )
      setOthers(rest)
      refused.current = [...byField.keys()]
      for (const [field, message] of byField) form.setError(field as 'name', { message })
      show(refused.current)
    },
  })
  const submit = form.handleSubmit(
    (draft) => {
      const body = bodyOf(draft)
      if (!isUnreadable(body)) return publish.mutate(body)
      const message = body.wrong === 'json' ? formWords.wrongJson : words.namesWrong
      form.setError(body.wrong, { message }, { shouldFocus: true })
    },
    (errors: FieldErrors<TypeDraft>) => show(wrongFields(errors)),
  )
  const hasConflict = publish.isError && problemOf(publish.error).status === CONFLICT
  return (
    <FormProvider {...form}>
      <OpenedSections value={sections}>
        <form
          className="beside editor"
          noValidate
          onChange={onChanged}
          onSubmit={(event) => {
            for (const field of refused.current) form.clearErrors(field as 'name')
            refused.current = []
            void submit(event)
          }}
        >
          <div className="fields">
            <Restored {...kept} />
            {publish.isError && <ProblemNote error={publish.error} messages={others} />}
            {hasConflict && <p className="note">{before === undefined ? words.nameTaken : words.changedMeanwhile}</p>}
            <About isNew={before === undefined} />
            <SchemaEditor />
            <DisplayFields />
            <ValidityFields />
            <RetentionFields />
            <SignInFields />
            <SourceFields hadSource={before !== undefined && initial?.claimsSource !== undefined} />
            <MdocFields />
            <KeyFields />
            <MoreFields />
            <div className="row">
              <button type="submit" className="primary" disabled={publish.isPending}>
                {before === undefined ? words.publish : words.publishVersion(Number(form.watch('version')))}
              </button>
            </div>
          </div>
          <aside aria-label={words.preview}>
            <p className="label">{words.preview}</p>
            <DraftCard />
          </aside>
        </form>
      </OpenedSections>
    </FormProvider>
  )
}
