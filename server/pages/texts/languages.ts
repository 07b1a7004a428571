import { ar } from './ar.js'
import { bg } from './bg.js'
import type { Catalogue } from './catalogue.js'
import { cs } from './cs.js'
import { da } from './da.js'
import { de } from './de.js'
import { el } from './el.js'
import { en } from './en.js'
import { es } from './es.js'
import { et } from './et.js'
import { fi } from './fi.js'
import { fr } from './fr.js'
import { ga } from './ga.js'
import { hr } from './hr.js'
import { hu } from './hu.js'
import { it } from './it.js'
import { lt } from './lt.js'
import { lv } from './lv.js'
import { mt } from './mt.js'
import { nl } from './nl.js'
import { pl } from './pl.js'
import { pt } from './pt.js'
import { ro } from './ro.js'
import { sk } from './sk.js'
import { sl } from './sl.js'
import { sv } from './sv.js'
import { tr } from './tr.js'
import { uk } from './uk.js'

/** A language of the pages: its own name, its direction and its texts. */
export interface PageLanguage {
  readonly name: string
  readonly dir: 'ltr' | 'rtl'
  readonly texts: Catalogue
}

const leftToRight = (name: string, texts: Catalogue): PageLanguage => ({ name, dir: 'ltr', texts })

/**
 * The languages of the pages, by BCP 47 tag, in the order in which the pages list them: the official languages of the European
 * Union, Turkish, Ukrainian and Arabic.
 */
export const PAGE_LANGUAGES: ReadonlyMap<string, PageLanguage> = new Map<string, PageLanguage>([
  ['bg', leftToRight('Български', bg)],
  ['cs', leftToRight('Čeština', cs)],
  ['da', leftToRight('Dansk', da)],
  ['de', leftToRight('Deutsch', de)],
  ['et', leftToRight('Eesti', et)],
  ['el', leftToRight('Ελληνικά', el)],
  ['en', leftToRight('English', en)],
  ['es', leftToRight('Español', es)],
  ['fr', leftToRight('Français', fr)],
  ['ga', leftToRight('Gaeilge', ga)],
  ['hr', leftToRight('Hrvatski', hr)],
  ['it', leftToRight('Italiano', it)],
  ['lv', leftToRight('Latviešu', lv)],
  ['lt', leftToRight('Lietuvių', lt)],
  ['hu', leftToRight('Magyar', hu)],
  ['mt', leftToRight('Malti', mt)],
  ['nl', leftToRight('Nederlands', nl)],
  ['pl', leftToRight('Polski', pl)],
  ['pt', leftToRight('Português', pt)],
  ['ro', leftToRight('Română', ro)],
  ['sk', leftToRight('Slovenčina', sk)],
  ['sl', leftToRight('Slovenščina', sl)],
  ['fi', leftToRight('Suomi', fi)],
  ['sv', leftToRight('Svenska', sv)],
  ['tr', leftToRight('Türkçe', tr)],
  ['uk', leftToRight('Українська', uk)],
  ['ar', { name: 'العربية', dir: 'rtl', texts: ar }],
])
