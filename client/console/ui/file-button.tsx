import { type ReactNode, useRef } from 'react'

interface Props {
  /** The text of the button. */
  readonly children: ReactNode
  /** Gets the chosen file. The same file can be chosen again. */
  readonly onChosen: (file: File | undefined) => void
}

/** A button that opens the browser's dialog for one file. */
export function FileButton({ children, onChosen }: Props) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        {children}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        onChange={({ target }) => {
          onChosen(target.files?.[0])
          // Otherwise the browser reports no change if the same file is chosen again.
          target.value = ''
        }}
      />
    </>
  )
}
