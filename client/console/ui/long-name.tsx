import { IdOnDemand } from './id-on-demand.js'

/** A name with more characters may be cut in a list. A name may have 200 characters, and none of them a space. */
const LONG = 40

/**
 * The name of a row, inside the link of the row. A cut name is whole while the link has the focus, and in its tooltip. A
 * component must return JSX, never a text alone: only JSX makes texts safe to show (`jsx/jsx-runtime.ts`).
 */
export const LongName = ({ children: name }: { readonly children: string }) =>
  name.length <= LONG ? (
    <span>{name}</span>
  ) : (
    <span className="long-name" title={name}>
      {name}
    </span>
  )

interface Props {
  readonly name: string
  /** The kind of name, such as a reference. */
  readonly what: string
}

/** A name in a cell of a list. A button after a long name shows the whole name. */
export function CutName({ name, what }: Props) {
  if (name.length <= LONG) return <span>{name}</span>
  return (
    <>
      <LongName>{name}</LongName> <IdOnDemand id={name} what={what} />
    </>
  )
}
