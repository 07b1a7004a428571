import type { ComponentProps, ReactNode } from 'react'

interface Props extends ComponentProps<'input'> {
  readonly children: ReactNode
}

/** A check box or radio button in its label. */
export function Check({ children, type = 'checkbox', ...input }: Props) {
  return (
    <label className="check">
      <input type={type} {...input} />
      <span>{children}</span>
    </label>
  )
}
