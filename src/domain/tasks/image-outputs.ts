/** What a caller may ask of the files of images: their format and their background. */
import type { Route } from '../catalogue.ts';

export const imageFormats = ['png', 'jpeg', 'webp'] as const;
export type ImageFormat = (typeof imageFormats)[number];

export const imageBackgrounds = ['transparent', 'opaque'] as const;
export type ImageBackground = (typeof imageBackgrounds)[number];

/** What a route delivers when it is asked for. */
export interface ImageOutputs {
  formats: readonly ImageFormat[];
  backgrounds: readonly ImageBackground[];
}

export type OutputRoute = Pick<Route, 'model' | 'options'>;

/** Images have the background that their prompt gives them. */
export const noOutputs: ImageOutputs = { formats: [], backgrounds: ['opaque'] };
