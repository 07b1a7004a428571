import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { typeVersions } from '../../queries/types.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Screen } from '../../ui/screen.js'
import { Editor } from './editor.js'

function usePublished() {
  const navigate = useNavigate()
  return ({ name }: { readonly name: string }) => void navigate({ to: '/types/$name', params: { name } })
}

/** A new credential type. */
export function NewType() {
  const { types: words } = useTexts()
  return (
    <Screen title={words.make} intro={words.makeIntro}>
      <Editor before={undefined} onPublished={usePublished()} />
    </Screen>
  )
}

const route = getRouteApi('/types/$name/edit')

/** The next version of a credential type, based on the newest version. */
export function NextVersion() {
  const { types: words } = useTexts()
  const { name } = route.useParams()
  const onPublished = usePublished()
  // If another user publishes a newer version during editing, the form stays as it is. Publishing then reports the
  // conflict.
  const versions = useQuery({ ...typeVersions(name), refetchOnWindowFocus: false })
  return (
    <Screen title={words.nextVersionOf(name)} intro={words.nextIntro}>
      <Asked query={versions}>{([newest]) => <Editor key={name} before={newest} onPublished={onPublished} />}</Asked>
    </Screen>
  )
}
