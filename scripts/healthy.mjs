/** The containers' health check: exit 0 if this container's API, or its worker, says that it is ready. */
const ports = [process.env.PORT ?? '8080', process.env.TOLLGATE_WORKER_PORT ?? '8081'];

/** Only one of the two listens; the other gives no answer. */
const answers = await Promise.allSettled(
  ports.map((port) => fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) })),
);
process.exitCode = answers.some(({ value }) => value?.ok === true) ? 0 : 1;
