/**
 * Loads the functions that read and write mobile documents. They are loaded when the first mobile document is issued,
 * received or requested, since most installations have none.
 */
export const loadMdoc = () => import('../../protocol/mdoc/mdoc.js')
