import type { MdocMapping } from '../../protocol/mdoc/elements.js'

/** As the API shows it. */
export const mdocOf = ({ doctype, namespaces }: MdocMapping) => ({
  doctype,
  namespaces: Object.fromEntries(Object.entries(namespaces).map(([name, elements]) => [name, { ...elements }])),
})
