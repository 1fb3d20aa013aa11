/** Every workflow there is: what the bundle for the worker is made of. */
export { generate } from './generate.ts';
