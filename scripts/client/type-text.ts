/** A JSON Schema as Zod writes it, with the members that contracts use. */
export interface JsonSchema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  /**
   * A TypeScript type that replaces the whole schema, if Zod cannot describe the values that the schema's code accepts.
   */
  readonly override?: JsonSchema
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | boolean
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** A doc comment with an indentation and a line break at the end. Empty if the text is empty. */
export function docComment(text: string, indent: string): string {
  if (text === '') return ''
  const lines = text.replaceAll('*/', '*\\/').split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

const propertyName = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

/** The text between the braces of an object type. The type of an optional member includes undefined. */
export function membersText({ properties = {}, required = [] }: JsonSchema, indent: string): string {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const type = typeText(schema, indent)
      const optional = !required.includes(name)
      const also = optional && type !== 'unknown' ? ' | undefined' : ''
      const comment = docComment((schema.override ?? schema).description ?? schema.description ?? '', indent)
      return `${comment}${indent}${propertyName(name)}${optional ? '?' : ''}: ${type}${also}\n`
    })
    .join('')
}

function objectText(schema: JsonSchema, indent: string): string {
  const { properties, additionalProperties } = schema
  const others = typeof additionalProperties === 'object' ? typeText(additionalProperties, indent) : undefined
  if (properties === undefined) return `Record<string, ${others ?? 'unknown'}>`
  const inner = `${indent}  `
  const index = others === undefined ? '' : `${inner}[name: string]: ${others}\n`
  const members = membersText(schema, inner)
  return members === '' && index === '' ? 'Record<string, never>' : `{\n${members}${index}${indent}}`
}

const union = (types: readonly string[]) => [...new Set(types)].join(' | ')

/**
 * Converts a JSON Schema to a TypeScript type.
 *
 * @throws Error for a kind of schema that no contract has used so far.
 */
export function typeText(schema: JsonSchema, indent = ''): string {
  const { $ref, override, type, items } = schema
  if (override !== undefined) return typeText(override, indent)
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)))
  const options = schema.anyOf ?? schema.oneOf
  if (options !== undefined) return union(options.map((option) => typeText(option, indent)))
  if (typeof type === 'object') return union(type.map((each) => typeText({ ...schema, type: each }, indent)))
  if (type === 'string' && schema.format === 'binary') return 'Uint8Array'
  if (type === 'array') return `Array<${typeText(items ?? {}, indent)}>`
  if (type === 'object') return objectText(schema, indent)
  if (type === undefined) return 'unknown'
  const primitive = PRIMITIVES[type]
  if (primitive === undefined) throw new Error(`No TypeScript type for ${JSON.stringify(schema)}`)
  return primitive
}
