/** The routes of a call, tried in their order until one has answered. */
import { repeatableEndpoints } from '../domain/call-endpoints.ts';
import type { ErrorCode } from '../domain/errors.ts';
import { idsOf } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import type { CallRecord } from '../request-records/call-record.ts';
import { CallCancelled } from './call-cancellation.ts';
import { isLost, outcomeOfFault, type Route, routeFaultOf } from './call-routes.ts';
import type { HeldCall } from './hold-call.ts';
import type { Outcome } from './relay-stream.ts';
import type { RouteFault } from './route-faults.ts';
import { type CallSender, sendCall, type SentCall } from './send-call.ts';

/** What trying the routes of a call takes, besides what its relay does. */
export type RouteTools = Pick<ApiDependencies, 'configuration' | 'meters' | 'log'> & {
  health: Pick<ApiDependencies['health'], 'record'>;
};

/**
 * Tries the routes until one has answered, as `relay` has it: it takes an answer or throws what kept the route from giving
 * one. What is the route's fault falls over to the next one; a call that may be repeated asks a route once more that lost
 * its answer. Returns the faults when all have failed, and throws what is no route's fault.
 */
export async function tryRoutes<Tools extends RouteTools, Sender extends CallSender>(
  deps: Tools,
  sender: Sender,
  held: HeldCall,
  relay: (deps: Tools, sender: Sender, held: HeldCall, route: Route, sent: SentCall) => Promise<Outcome>,
): Promise<readonly RouteFault[] | undefined> {
  const { call, routes, cancellation, clock } = held;
  const faults: RouteFault[] = [];
  const waiting = [...routes];
  const repeated = new Set<Route>();
  for (let route = waiting.shift(); route !== undefined; route = waiting.shift()) {
    if (cancellation.reason !== undefined) throw new CallCancelled();
    const early = route === routes[0] && !repeated.has(route) ? held.early : undefined;
    const counted = deps.meters.providers.of(route.name, 'chat');
    try {
      const sent = early ?? sendCall(deps, sender, call, route, clock);
      const { isGood, latencyMs } = await relay(deps, sender, held, route, sent);
      counted.count(isGood ? 'ok' : 'broke_off', latencyMs);
      if (held.record) noteAnswer(held.record, route, { isGood, latencyMs });
      deps.health.record(call.model.id, isGood ? { latencyMs } : { latencyMs, errorCode: 'upstream_error' });
      return undefined;
    } catch (error) {
      const failedMs = clock.failed();
      counted.count(outcomeOfFault(error), failedMs);
      const fault = routeFaultOf(error);
      held.record?.attempts.push({
        ...asked(route, failedMs),
        fault: fault?.message ?? outcomeOfFault(error),
        ...(fault && { code: codes[fault.kind] }),
      });
      if (!fault) throw error;
      faults.push(fault);
      if (isLost(error) && repeatableEndpoints.has(call.endpoint) && !repeated.has(route)) {
        repeated.add(route);
        waiting.unshift(route);
      }
      deps.health.record(call.model.id, { errorCode: 'upstream_error', latencyMs: Math.round(failedMs) });
      deps.log.warn(
        { ...idsOf(sender), model: call.model.id, provider: route.name, fault: fault.message },
        'a route failed',
      );
    }
  }
  return faults;
}

const codes = {
  limited: 'upstream_rate_limited',
  timeout: 'upstream_timeout',
  fault: 'upstream_error',
} as const satisfies Record<RouteFault['kind'], ErrorCode>;

function noteAnswer(record: CallRecord, route: Route, { isGood, latencyMs }: Outcome): void {
  record.attempts.push(asked(route, latencyMs));
  record.isBroken = !isGood;
}

const asked = ({ name: provider, model }: Route, ms: number) => ({ provider, model, ms: Math.round(ms) });
