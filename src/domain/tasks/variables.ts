/** `${NAME}` in texts of the settings, whose values must not be kept with tasks: they may be secrets. */

/** What stands for a variable; `$${` stands for `${`. */
export const variable = /(\$?)\$\{([^}]*)(\}?)/g;

/** A value with the variables in its texts filled in. Throws for one that has no value. */
export function filledIn(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    return value.replace(variable, (whole, escape: string, name: string) => {
      if (escape !== '') return whole.slice(1);
      const found = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (found === undefined) throw new Error(`the variable ${name} of a route's options has no value here`);
      return found;
    });
  }
  if (Array.isArray(value)) return value.map((item) => filledIn(item, variables));
  return typeof value === 'object' && value !== null ? filledInMapping(value, variables) : value;
}

/** The same of a mapping. */
export const filledInMapping = (
  mapping: object,
  variables: Readonly<Record<string, string>>,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(mapping).map(([name, part]) => [name, filledIn(part, variables)]));
