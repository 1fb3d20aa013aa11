/** Of Node, as package.json, the command and the image have them. */
export const startOptions = ['--min-semi-space-size=16', '--max-semi-space-size=16'];
/** In its environment, likewise. */
export const startSettings = { MALLOC_ARENA_MAX: '2' };
