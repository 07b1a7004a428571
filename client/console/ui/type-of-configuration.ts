/** The name of the type in the id of a credential configuration. The name has no hyphen. */
export const typeOfConfiguration = (id: string): string => id.split('-', 1)[0] ?? id
