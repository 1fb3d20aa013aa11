/**
 * A provider whose calls are metered and traced, and whose adapter can be replaced. Adapters know nothing of it, and this
 * knows no method by name: a method that is added to a contract passes through without an edit here.
 */

/**
 * Returns a provider that hands each call to the adapter that is current at that moment. Collecting a task may take an
 * hour; each of its polls then uses the address and the credentials of the settings in force. It has the methods that the
 * current adapter has. The first layer is the outermost.
 */
export function wrapProvider<P extends object>(current: () => P, layers: readonly Layer<P>[]): P {
  return new Proxy(current(), {
    get(_first, name): unknown {
      const adapter = current();
      const member: unknown = Reflect.get(adapter, name);
      if (typeof member !== 'function') return member;
      let call = (...args: unknown[]): unknown => Reflect.apply(member, adapter, args);
      for (const layer of layers.toReversed()) {
        const around: unknown = Reflect.get(layer, name);
        if (typeof around !== 'function') continue;
        const inner = call;
        call = (...args) => Reflect.apply(around, layer, [inner, ...args]) as unknown;
      }
      return call;
    },
  });
}

/** What one concern does around some methods of a provider: it gets the call itself, and its arguments. */
export type Layer<P> = { readonly [Name in keyof P]?: Around<NonNullable<P[Name]>> };

type Around<Member> = Member extends (...args: infer Args) => infer Result
  ? (call: (...args: Args) => Result, ...args: Args) => Result
  : never;
