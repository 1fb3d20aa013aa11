/** Every workflow there is: what the bundle for the worker is made of. */
export { audit } from './audit.ts';
export { batch } from './batch.ts';
export { deliver } from './deliver.ts';
export { generate } from './generate.ts';
export { retain } from './retain.ts';
