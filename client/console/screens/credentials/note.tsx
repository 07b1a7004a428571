import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { credentialStatus } from '../../queries/credentials.js'
import { useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'

/** The note of the last change of a status. It may name people, so it is fetched only after a click. */
export function Note({ id }: { readonly id: string }) {
  const { credentials: words } = useTexts()
  const [isOpen, setOpen] = useState(false)
  if (isOpen) return <Shown id={id} />
  return (
    <button type="button" onClick={() => setOpen(true)}>
      {words.showNote}
    </button>
  )
}

function Shown({ id }: { readonly id: string }) {
  const { credentials: words } = useTexts()
  const query = useQuery(credentialStatus(id))
  return <Asked query={query}>{({ note }) => <span role="status">{note ?? words.noNote}</span>}</Asked>
}
