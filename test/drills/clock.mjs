/**
 * Preloaded into a process by NODE_OPTIONS: its clock is so many milliseconds behind. What measures time without a clock
 * (`performance.now`, timers) stays as it is, as it does on a machine whose clock is set back.
 */
const behindMs = Number(process.env.DRILL_CLOCK_BEHIND_MS ?? 0);
const now = Date.now.bind(Date);
const shifted = () => now() - behindMs;

globalThis.Date = new Proxy(Date, {
  apply: () => new Date(shifted()).toString(),
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [shifted()] : args, newTarget),
  get: (target, name, receiver) => (name === 'now' ? shifted : Reflect.get(target, name, receiver)),
});
