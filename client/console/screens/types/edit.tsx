import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { typeVersions } from '../../queries/types.js'
import { useFaceTexts } from '../../texts/faces/use-face-texts.js'
import { useEditorTexts } from '../../texts/type-editor/use-editor-texts.js'
import { useSpoken, useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { draftOf, forgetDraft } from '../../ui/kept/drafts.js'
import { Screen } from '../../ui/screen.js'
import { useTypeTitles } from '../../ui/type-titles.js'
import type { TypeBody } from './draft.js'
import { Editor } from './editor/editor.js'
import { StartFrom } from './start-from.js'
import { bodyOfVersion, copyOf } from './version-body.js'

/**
 * Loads the texts that the form needs later, at the same time. They load with the screen, so that the screen does not disappear
 * meanwhile.
 */
function useFormTexts(): void {
  const { language } = useSpoken()
  useFaceTexts.begin(language)
  useEditorTexts()
  useFaceTexts()
}

function usePublished() {
  const navigate = useNavigate()
  return ({ name }: { readonly name: string }) => void navigate({ to: '/types/$name', params: { name } })
}

const newRoute = getRouteApi('/types/new-type')

/** A new credential type: from a template, a file, a copy of a type, or empty. */
export function NewType() {
  useFormTexts()
  const { types: words } = useTexts()
  const { from } = newRoute.useSearch()
  return (
    <Screen title={words.make} intro={words.makeIntro}>
      {from === undefined ? <Fresh /> : <Copy key={from} name={from} />}
    </Screen>
  )
}

interface Begun {
  readonly body: TypeBody | undefined
  /** Counts the choices, so that the form begins again with each choice. */
  readonly edition: number
}

/** The form of a new type, in the list of kept forms. */
const NEW_TYPE = 'types/new-type'

function Fresh() {
  const onPublished = usePublished()
  const [{ body, edition }, setBegun] = useState<Begun>({ body: undefined, edition: 0 })
  const [isChanged, setChanged] = useState(() => draftOf(NEW_TYPE) !== undefined)
  return (
    <div className="fields">
      <StartFrom
        isChanged={isChanged}
        onChosen={(chosen) => {
          setChanged(false)
          // The chosen type replaces the input. `StartFrom` has asked.
          forgetDraft(NEW_TYPE)
          setBegun({ body: chosen, edition: edition + 1 })
        }}
      />
      <Editor
        key={edition}
        keptAs={NEW_TYPE}
        initial={body}
        onChanged={() => setChanged(true)}
        onPublished={onPublished}
      />
    </div>
  )
}

/** A new type with the content of another type. */
function Copy({ name }: { readonly name: string }) {
  const { copyOf: named } = useEditorTexts()
  const onPublished = usePublished()
  const versions = useQuery({ ...typeVersions(name), refetchOnWindowFocus: false })
  return (
    <Asked query={versions}>
      {(all) => {
        const copied = all.find(({ active }) => active) ?? all[0]
        return (
          <Editor
            keptAs={`types/copy of ${name}`}
            initial={copied && copyOf(copied, named)}
            onPublished={onPublished}
          />
        )
      }}
    </Asked>
  )
}

const route = getRouteApi('/types/$name/edit')

/** The next version of a credential type, based on the newest version. */
export function NextVersion() {
  useFormTexts()
  const { types: words } = useTexts()
  const { name } = route.useParams()
  const titleOf = useTypeTitles()
  const onPublished = usePublished()
  // If another user publishes a newer version during editing, the form stays as it is. Publishing then reports the
  // conflict.
  const versions = useQuery({ ...typeVersions(name), refetchOnWindowFocus: false })
  return (
    <Screen title={words.nextVersionOf(titleOf(name))} intro={words.nextIntro}>
      <Asked query={versions}>
        {([newest]) =>
          newest && (
            <Editor
              key={name}
              keptAs={`types/${name}`}
              initial={{ ...bodyOfVersion(newest), version: Math.floor(newest.version) + 1 }}
              before={newest.version}
              onPublished={onPublished}
            />
          )
        }
      </Asked>
    </Screen>
  )
}
