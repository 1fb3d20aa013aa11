/** The code of the roles, loaded as one by a gateway whose servers start meanwhile: 0.7 s of it, most of it Temporal's. */
export { workerConnection } from '../temporal/worker-connection.ts';
export { loadTokenizer } from '../tokens/count-tokens.ts';
export { openCore } from '../wiring.ts';
export { startApiRole } from '../wiring/api-role.ts';
export { startWorkerRole } from '../wiring/worker-role.ts';
