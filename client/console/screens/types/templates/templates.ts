import { ageProof } from './age-proof.js'
import { diploma } from './diploma.js'
import { ehic } from './ehic.js'
import { employeeBadge } from './employee-badge.js'
import { mdl } from './mdl.js'
import { membership } from './membership.js'
import { pid } from './pid.js'
import type { Template } from './template.js'

/** The templates for a new credential type, in the order in which the editor offers them. */
export const TEMPLATES: readonly Template[] = [diploma, pid, mdl, ehic, employeeBadge, membership, ageProof]
