/** The code of the roles, loaded as one by a gateway whose servers start meanwhile: 0.7 s of it, most of it Temporal's. */
export { workerConnection } from '../temporal/worker-connection.ts';
export { openCore } from '../runtime/parts.ts';
export { startApiRole } from '../runtime/api-role.ts';
export { startWorkerRole } from '../runtime/worker-role.ts';
