/**
 * What reads and writes mobile documents: loaded when the first one is issued, comes or is asked for, since most installations have
 * none.
 */
export const loadMdoc = () => import('../../protocol/mdoc/mdoc.js')
