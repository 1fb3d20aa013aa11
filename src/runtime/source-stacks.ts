/** What the stacks of errors name. */
import module from 'node:module';

/**
 * Has stacks name the files and lines of `src`, by the maps beside the built ones, for what is loaded from now on. Where
 * Node.js can do so without packages only (22.14 and later): with them it would read a hundred maps more at a start.
 */
export function nameSources(): void {
  const nameThem: unknown = Reflect.get(module, 'setSourceMapsSupport');
  if (typeof nameThem === 'function') Reflect.apply(nameThem, module, [true, { nodeModules: false }]);
}
