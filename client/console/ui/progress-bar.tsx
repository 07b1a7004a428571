import { useId } from 'react'

/** A bar that shows which part of a whole is done. */
export function ProgressBar({
  label,
  done,
  of,
}: {
  readonly label: string
  readonly done: number
  readonly of: number
}) {
  const id = useId()
  return (
    <div className="progress">
      <label htmlFor={id}>{label}</label>
      <progress id={id} value={done} max={of} />
      <span className="soft">
        {done} / {of}
      </span>
    </div>
  )
}
