/** What a route can be given besides a prompt. */
import type { Route } from '../catalogue.ts';

/** Undefined: it depends on the model, whose settings say it. */
export interface RouteInputs {
  /** The most reference images of an edit or a variation. */
  references: number;
  mask: boolean | undefined;
  /** Whether it makes variations, which have a reference and no prompt. */
  variations: boolean | undefined;
  /** Whether a video can be given its last frame. */
  lastFrame: boolean;
}

export type InputRoute = Pick<Route, 'model' | 'fields'>;

/** Of a provider that declares nothing. */
export const noInputs: RouteInputs = { references: 0, mask: false, variations: false, lastFrame: false };
