import { type ChangeEvent, type DragEvent, useState } from 'react'
import { useEditorTexts } from '../../texts/type-editor/use-editor-texts.js'
import { useSpoken } from '../../texts/use-texts.js'
import { Dialog } from '../../ui/dialog.js'
import { Field } from '../../ui/field.js'
import { Panel } from '../../ui/panel.js'
import type { TypeBody } from './draft.js'
import { TEMPLATES } from './templates/templates.js'
import { type FileFault, readTypeFile } from './type-file.js'

interface Props {
  /** Whether the editor has input that the choice would replace. */
  readonly isChanged: boolean
  readonly onChosen: (body: TypeBody | undefined) => void
}

interface Choice {
  readonly key: string
  readonly body: TypeBody | undefined
  /** The name of the chosen file. */
  readonly file?: string
}

/** The first step of a new type: an empty type, a template, or a file. */
export function StartFrom({ isChanged, onChosen }: Props) {
  const { language, texts } = useSpoken()
  const { start: words } = useEditorTexts()
  const [chosen, setChosen] = useState<Choice>({ key: 'empty', body: undefined })
  const [asked, setAsked] = useState<Choice>()
  const [faults, setFaults] = useState<readonly FileFault[]>([])
  const take = (choice: Choice) => {
    setAsked(undefined)
    setChosen(choice)
    onChosen(choice.body)
  }
  const choose = (choice: Choice) => {
    setFaults([])
    if (isChanged) setAsked(choice)
    else take(choice)
  }
  const read = async (file: File) => {
    const outcome = readTypeFile(await file.text())
    if ('faults' in outcome) setFaults(outcome.faults)
    else choose({ key: 'file', body: outcome.body, file: file.name })
  }
  const pick = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? []
    if (file === undefined) return
    // Cleared after reading, so that the user can choose the same file again after correcting it.
    void read(file).finally(() => {
      target.value = ''
    })
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    const [file] = event.dataTransfer.files
    if (file !== undefined) void read(file)
  }
  const sentence = (fault: FileFault): string => {
    if (fault.fault === 'wrongKind') return words.wrongKind(fault.path, words.kinds[fault.kind])
    return 'path' in fault ? words[fault.fault](fault.path) : words[fault.fault]
  }
  const card = (choice: Choice, title: string, text: string) => (
    <button
      type="button"
      key={choice.key}
      className="template"
      aria-pressed={chosen.key === choice.key}
      onClick={() => choose(choice)}
    >
      <span
        className="template-colour"
        style={{ backgroundColor: choice.body?.display?.[0]?.background_color }}
        aria-hidden
      />
      <strong>{title}</strong>
      <span className="soft">{text}</span>
    </button>
  )
  return (
    // The area takes a dropped file. The field below does the same for the keyboard.
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping a file is a shortcut for the field.
    <div onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <Panel title={words.title} intro={words.intro}>
        <div className="templates">
          {card({ key: 'empty', body: undefined }, words.empty, words.emptyText)}
          {TEMPLATES.map(({ key, title, about, body }) => card({ key, body }, title[language], about[language]))}
        </div>
        <Field label={words.importFile} hint={`${words.importHint} ${words.drop}`}>
          {(props) => <input {...props} type="file" accept=".json,application/json" onChange={pick} />}
        </Field>
        <div aria-live="polite">
          {chosen.file !== undefined && faults.length === 0 && <p className="good">{words.imported(chosen.file)}</p>}
        </div>
        {faults.length > 0 && (
          <div className="problem-note" role="alert">
            <strong>{words.notImported}</strong>
            <ul>
              {faults.map((fault) => (
                <li key={sentence(fault)}>{sentence(fault)}</li>
              ))}
            </ul>
          </div>
        )}
      </Panel>
      {asked !== undefined && (
        <Dialog title={words.replace} onClose={() => setAsked(undefined)}>
          <p>{words.replaceText}</p>
          <div className="row">
            <button type="button" className="primary" onClick={() => take(asked)}>
              {words.replaceIt}
            </button>
            <button type="button" onClick={() => setAsked(undefined)}>
              {texts.common.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  )
}
