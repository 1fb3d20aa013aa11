/** What a route can be given where its models each have fields of their own, of which nothing is known but what its settings say. */
import type { InputRoute, RouteInputs } from '../domain/tasks/route-inputs.ts';
import { referenceImagesMax } from '../domain/limits.ts';

/**
 * References go by the usual name unless the route's `fields` leave it out. Few models take a mask, a last frame or no
 * prompt, and others ignore what they don't know; so these are given only where the route names the field, or for masks
 * and variations where the model's limits say so.
 */
export function inputsOfFields({ fields }: InputRoute, imageFields: readonly string[], maskField: string): RouteInputs {
  const mask = fields[maskField];
  return {
    references: imageFields.every((name) => fields[name] === null) ? 0 : referenceImagesMax,
    mask: mask === undefined ? undefined : mask !== null,
    variations: undefined,
    lastFrame: typeof fields['last_frame'] === 'string',
  };
}
